import CCrosstie
import Crosstie

@_cdecl("ctie_thread_set_wait") @implementation
public func ctie_thread_set_wait(_ wait: ctie_wait) -> ctie_status {
    setThreadWait(wait.fn.map { fn in { fn(wait.user_data) } })
    return Status.ok.rawValue
}
