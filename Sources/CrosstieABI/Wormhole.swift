import CCrosstie
import Crosstie
import CrosstieWormhole

@_cdecl("ctie_wormhole_open") @implementation
public func ctie_wormhole_open(
    _ group: ctie_str, _ given: UnsafePointer<ctie_wormhole_options>?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        let given = try options(given, .wormhole, default: ctie_wormhole_options())
        let log = log(given)
        do throws(CrosstieError) {
            try open(group, given, log, out)
        } catch {
            log?.end()
            throw error
        }
    }
}

private func open(
    _ group: ctie_str, _ given: ctie_wormhole_options, _ log: WormholeLog?, _ out: HandleOut
) throws(CrosstieError) {
    // Both are read before one is refused, so that the other one is ended.
    let transport = Result { () throws(CrosstieError) in try hostTransport(given) }
    let engine = Result { () throws(CrosstieError) in try hostEngine(given) }
    do throws(CrosstieError) {
        let (ofTransport, ofEngine) = (try transport.get(), try engine.get())
        guard let out else { throw missing("out") }
        var options = try wormholeOptions(given)
        (options.transport, options.engine, options.hostLog) = (ofTransport, ofEngine, log)
        out.pointee = try open(group, options)
    } catch {
        (try? transport.get())?.destroy()
        (try? engine.get())?.close()
        throw error
    }
}

private func open(_ group: ctie_str, _ options: WormholeOptions) throws(CrosstieError) -> OpaquePointer? {
    guard let name = group.bytes else { throw missing("group", " or has no valid size") }
    let group = String(decoding: name.prefix(WormholeCore.maximumGroupSize), as: UTF8.self)
    let core = try WormholeCore(group, options: options)
    do throws(CrosstieError) {
        return try ObjectRecord.publish(core, .wormhole).pointer
    } catch {
        _ = core.close()
        throw error
    }
}

/// The host's log, to be destroyed if opening fails.
private func log(_ given: ctie_wormhole_options) -> WormholeLog? {
    let context = given.log.context
    // A logger with only a `destroy` is ended, too.
    guard given.log.fn != nil || given.log.destroy != nil else { return nil }
    let log = given.log.fn
    return WormholeLog({ level, line in if let log { level.write(log, line, context) } }, end: context.destroy)
}

/// The host's own transport, to be destroyed if opening fails.
private func hostTransport(_ given: ctie_wormhole_options) throws(CrosstieError) -> HostTransport? {
    guard let transport = try given.hostTransport() else { return nil }
    return HostTransport(transport, context: given.transport_data)
}

/// The host's own engine, to be closed if opening fails.
private func hostEngine(_ given: ctie_wormhole_options) throws(CrosstieError) -> HostEngine? {
    guard let engine = try given.hostEngine() else { return nil }
    return HostEngine(engine, context: given.engine_data)
}

/// Without the host's functions.
private func wormholeOptions(_ given: ctie_wormhole_options) throws(CrosstieError) -> WormholeOptions {
    var chosen = WormholeOptions()
    let directory = try string(given.directory, named: "directory", limit: 4095)
    let name = try string(given.name, named: "name", limit: WormholeOptions.maximumNameSize)
    let flags =
        CTIE_WORMHOLE_FAST | CTIE_WORMHOLE_SYSTEM | CTIE_WORMHOLE_MEMORY | CTIE_WORMHOLE_ANY_FILESYSTEM
        | CTIE_WORMHOLE_EXISTING | CTIE_WORMHOLE_OFFLINE
    try checkFlags(given.flags, among: flags)
    if !directory.isEmpty { chosen.directory = directory }
    if !name.isEmpty { chosen.name = name }
    if given.map_size != 0 { chosen.mapSize = given.map_size }
    if given.max_value_size != 0 { chosen.maximumValueSize = Int(clamping: given.max_value_size) }
    if given.max_map_size != 0 { chosen.maximumMapSize = given.max_map_size }
    if given.max_queued != 0 { chosen.maximumQueued = given.max_queued }
    if given.max_queued_size != 0 { chosen.maximumQueuedSize = given.max_queued_size }
    chosen.expiresMilliseconds = given.expires_ms
    chosen.delayMilliseconds = given.delay_ms
    if given.retain_ms != 0 { chosen.retainMilliseconds = given.retain_ms }
    if given.retain_count != 0 { chosen.retainCount = given.retain_count }
    if given.retain_size != 0 { chosen.retainSize = given.retain_size }
    if given.timeout_ms != 0 { chosen.timeoutMilliseconds = given.timeout_ms }
    chosen.isFast = given.flags & UInt32(CTIE_WORMHOLE_FAST) != 0
    if given.flags & UInt32(CTIE_WORMHOLE_SYSTEM) != 0 { chosen.durability = .system }
    chosen.isInMemory = given.flags & UInt32(CTIE_WORMHOLE_MEMORY) != 0
    chosen.allowsAnyFileSystem = given.flags & UInt32(CTIE_WORMHOLE_ANY_FILESYSTEM) != 0
    chosen.mustExist = given.flags & UInt32(CTIE_WORMHOLE_EXISTING) != 0
    chosen.server = try ServerOptions(given)
    return chosen
}

@_cdecl("ctie_wormhole_release") @implementation
public func ctie_wormhole_release(_ wormhole: OpaquePointer?) -> ctie_status {
    guard wormhole != nil else { return CTIE_OK.status }
    return status { () throws(CrosstieError) in
        guard try !core(wormhole).isInsideItsTransport else { return .deadlock }
        return try ObjectRecord.retire(Handle(wormhole), .wormhole, as: WormholeCore.self).close()
    }
}

@_cdecl("ctie_wormhole_signal") @implementation
public func ctie_wormhole_signal(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str,
    _ sequence: UnsafeMutablePointer<UInt64>?, _ listeners: UnsafeMutablePointer<UInt32>?, _ error: ErrorOut
) -> ctie_status {
    change(wormhole, sequence, listeners, error) { core throws(CrosstieError) in
        try core.signal(try bytes(identifier))
    }
}

@_cdecl("ctie_wormhole_destroy") @implementation
public func ctie_wormhole_destroy(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str,
    _ sequence: UnsafeMutablePointer<UInt64>?, _ listeners: UnsafeMutablePointer<UInt32>?, _ error: ErrorOut
) -> ctie_status {
    change(wormhole, sequence, listeners, error) { core throws(CrosstieError) in
        try core.destroy(try bytes(identifier))
    }
}

@_cdecl("ctie_wormhole_destroy_all") @implementation
public func ctie_wormhole_destroy_all(
    _ wormhole: OpaquePointer?, _ sequence: UnsafeMutablePointer<UInt64>?,
    _ listeners: UnsafeMutablePointer<UInt32>?, _ error: ErrorOut
) -> ctie_status {
    change(wormhole, sequence, listeners, error) { core throws(CrosstieError) in try core.destroyAll() }
}

@_cdecl("ctie_wormhole_identifiers") @implementation
public func ctie_wormhole_identifiers(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in
        try core(wormhole).identifiers(try bytes(identifier)).map(Value.string)
    }
}

@_cdecl("ctie_wormhole_members") @implementation
public func ctie_wormhole_members(_ wormhole: OpaquePointer?, _ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in
        try core(wormhole).members().map { member in
            [
                "pid": .int(Int64(member.pid)), "name": .string(member.name),
                "since": .int(member.since), "self": .bool(member.isSelf),
            ]
        }
    }
}

@_cdecl("ctie_wormhole_abilities") @implementation
public func ctie_wormhole_abilities(
    _ wormhole: OpaquePointer?, _ out: UnsafeMutablePointer<UInt32>?, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        guard let out else { throw missing("out") }
        out.pointee = try core.abilities().rawValue
    }
}

/// Runs the body of a function whose result is a list.
func list(_ out: HandleOut, _ error: ErrorOut, _ body: () throws(CrosstieError) -> [Value]) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        out.pointee = try Value.list(try body()).makeRef().pointer
    }
}

/// The wormhole of a handle.
func core(_ wormhole: OpaquePointer?) throws(CrosstieError) -> WormholeCore {
    try ObjectRecord.object(Handle(wormhole), .wormhole, as: WormholeCore.self)
}

/// An identifier as passed; its content is checked where it is used.
func bytes(_ identifier: ctie_str) throws(CrosstieError) -> UnsafeRawBufferPointer {
    guard let bytes = identifier.bytes else {
        throw missing("identifier", " or has no valid size")
    }
    return bytes
}

/// Runs the body of a function without an error object.
func status(_ body: () throws(CrosstieError) -> Status) -> ctie_status {
    do throws(CrosstieError) { return try body().rawValue } catch { return error.status.rawValue }
}

@inline(__always)
func change(
    _ wormhole: OpaquePointer?, _ sequence: UnsafeMutablePointer<UInt64>?,
    _ listeners: UnsafeMutablePointer<UInt32>?, _ error: ErrorOut,
    _ body: (WormholeCore) throws(CrosstieError) -> Receipt
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        let receipt = try body(core)
        sequence?.pointee = receipt.sequence
        if let listeners { listeners.pointee = core.countProcesses(receipt) }
    }
}
