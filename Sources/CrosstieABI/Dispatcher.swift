import CCrosstie
import Crosstie

@_cdecl("ctie_dispatcher_add") @implementation
public func ctie_dispatcher_add(
    _ bus: OpaquePointer?, _ name: ctie_str, _ given: UnsafePointer<ctie_dispatcher_options>?, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let given = try options(given, .dispatcher, default: ctie_dispatcher_options())
        var chosen = DispatcherOptions()
        if given.max_workers != 0 { chosen.maximumWorkers = Int(given.max_workers) }
        if given.max_queued != 0 { chosen.maximumQueued = Int(given.max_queued) }
        let name = try string(name, named: "name", limit: Name.maximumSize)
        try BusRecord.addDispatcher(Handle(bus), name, chosen)
    }
}

@_cdecl("ctie_dispatcher_cancel_all") @implementation
public func ctie_dispatcher_cancel_all(
    _ bus: OpaquePointer?, _ name: ctie_str, _ out: UnsafeMutablePointer<Int>?, _ error: ErrorOut
) -> ctie_status {
    return answer(error) { () throws(CrosstieError) in
        let name = try string(name, named: "name", limit: Name.maximumSize)
        let count = try BusRecord.cancelAll(Handle(bus), dispatcher: name)
        out?.pointee = count
    }
}
