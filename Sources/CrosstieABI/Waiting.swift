import CCrosstie
import Crosstie

@_cdecl("ctie_thread_set_wait") @implementation
public func ctie_thread_set_wait(_ fn: ctie_wait_fn?, _ userData: UnsafeMutableRawPointer?) -> ctie_status {
    setThreadWait(fn.map { fn in { fn(userData) } })
    return Status.ok.rawValue
}
