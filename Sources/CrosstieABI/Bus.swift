import CCrosstie
import Crosstie

public typealias HandleOut = UnsafeMutablePointer<OpaquePointer?>?

@_cdecl("ctie_bus_new") @implementation
public func ctie_bus_new(
    _ given: UnsafePointer<ctie_bus_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let given = try options(given, .bus, default: ctie_bus_options())
        var chosen = BusOptions()
        chosen.name = try string(given.name, named: "name", limit: 128)
        chosen.defaultScheme = try string(given.default_scheme, named: "default_scheme", limit: 128)
        if given.max_workers != 0 { chosen.maximumWorkers = Int(given.max_workers) }
        if given.max_queued != 0 { chosen.maximumQueued = Int(given.max_queued) }
        try checkFlags(given.flags, among: CTIE_BUS_COUNT_HITS | CTIE_BUS_STATIC | CTIE_BUS_STATS)
        chosen.countsHits = Int(given.flags) & CTIE_BUS_COUNT_HITS != 0
        chosen.keepsStats = Int(given.flags) & CTIE_BUS_STATS != 0
        chosen.hasStaticComponents = Int(given.flags) & CTIE_BUS_STATIC != 0
        chosen.matchMode = try matchMode(given.mode, at: "options.mode")
        try chosen.check()
        out.pointee = try BusRecord.makeComplete(chosen).pointer
    }
}

@_cdecl("ctie_bus_shared") @implementation
public func ctie_bus_shared(_ name: ctie_str, _ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let name = try string(name, named: "name", limit: 128)
        guard !name.isEmpty else { throw CrosstieError(.invalidArgument, "a shared bus needs a name", at: "name") }
        out.pointee = try BusRecord.shared(name).pointer
    }
}

@_cdecl("ctie_bus_retain") @implementation
public func ctie_bus_retain(_ bus: OpaquePointer?) -> ctie_status {
    BusRecord.retain(Handle(bus)).rawValue
}

@_cdecl("ctie_bus_release") @implementation
public func ctie_bus_release(_ bus: OpaquePointer?) -> ctie_status {
    bus == nil ? CTIE_OK.status : BusRecord.releaseBus(Handle(bus)).rawValue
}

@_cdecl("ctie_bus_close") @implementation
public func ctie_bus_close(_ bus: OpaquePointer?) -> ctie_status {
    BusRecord.close(Handle(bus)).rawValue
}

@_cdecl("ctie_bus_name") @implementation
public func ctie_bus_name(_ bus: OpaquePointer?, _ out: UnsafeMutablePointer<ctie_str>?) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    return answer(nil) { () throws(CrosstieError) in
        out.pointee = try BusRecord.withState(Handle(bus)) { _, state in ctie_str(state.name) }
    }
}

@_cdecl("ctie_bus_set_log") @implementation
public func ctie_bus_set_log(_ bus: OpaquePointer?, _ logger: ctie_logger, _ error: ErrorOut) -> ctie_status {
    let context = logger.context
    if logger.fn == nil { context.destroy() }
    return pending(error) { () throws(CrosstieError) in
        try BusRecord.set(.log, of: Handle(bus), to: logger.fn.map { RegistrationContent(log: $0, context: context) })
    }
}

@_cdecl("ctie_registration_release") @implementation
public func ctie_registration_release(_ registration: OpaquePointer?) -> ctie_status {
    registration == nil ? CTIE_OK.status : BusRecord.release(Handle(registration)).rawValue
}
