import CCrosstie
import Crosstie

@_cdecl("ctie_loop_new") @implementation
public func ctie_loop_new(_ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        out.pointee = try LoopQueue().opaque()
    }
}

/// The loop of a live handle.
///
/// - Throws: `invalidHandle` or `forked`.
func loop(_ handle: OpaquePointer?) throws(CrosstieError) -> LoopQueue {
    try ObjectRecord.object(Handle(handle), .loop, as: LoopQueue.self)
}

extension LoopQueue {
    /// The handle of the loop.
    func opaque() throws(CrosstieError) -> OpaquePointer? {
        try handle { () throws(CrosstieError) in
            let handle = try ObjectRecord.publish(self, .loop)
            return (handle, { _ = try? ObjectRecord.retire(handle, .loop, as: LoopQueue.self) })
        }.pointer
    }
}

@_cdecl("ctie_loop_fd") @implementation
public func ctie_loop_fd(_ handle: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    return answer(nil) { () throws(CrosstieError) in out.pointee = try loop(handle).descriptor }
}

@_cdecl("ctie_loop_dispatch") @implementation
public func ctie_loop_dispatch(_ handle: OpaquePointer?, _ out: UnsafeMutablePointer<Int>?) -> ctie_status {
    answer(nil) { () throws(CrosstieError) in
        let count = try loop(handle).dispatch()
        out?.pointee = count
    }
}

@_cdecl("ctie_loop_release") @implementation
public func ctie_loop_release(_ handle: OpaquePointer?) -> ctie_status {
    guard handle != nil else { return CTIE_OK.status }
    return answer(nil) { () throws(CrosstieError) in
        guard try !loop(handle).isOwned else {
            throw CrosstieError(.invalidArgument, "the loop is a bus's or a wormhole's")
        }
        try ObjectRecord.retire(Handle(handle), .loop, as: LoopQueue.self).close()
    }
}

@_cdecl("ctie_bus_loop") @implementation
public func ctie_bus_loop(_ bus: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    return answer(nil) { () throws(CrosstieError) in out.pointee = try BusRecord.loop(Handle(bus)).opaque() }
}
