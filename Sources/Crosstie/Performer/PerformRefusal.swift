/// Why a resolver, or the fallback behind it, has left a request to the next one.
struct PerformRefusal {
    let status: Status
    /// Empty for the status's own.
    let message: String
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Notes that the performer's handler that runs on this thread has not found the target or its selector, and leaves
    /// the request to the next one, as one that declines does. False where that is not so: the request is to be ended.
    func leaveToFallback(_ status: Status, message: UnsafeRawBufferPointer) -> Bool {
        guard status == .noTarget || status == .noAction, isInPerformer,
            RequestBlock.decline(pointee.header.handle(.request)) == .ok
        else { return false }
        extras.refusal = PerformRefusal(status: status, message: String(decoding: message, as: UTF8.self))
        return true
    }

    /// Whether a resolver or the fallback is handling the request on this thread, and not an interceptor before it.
    private var isInPerformer: Bool {
        let slot = ThreadSlot.current
        guard slot.currentRequest == self, pointee.gate.isPassable, let registration = Registration.at(slot.currentRegistration)
        else { return false }
        return registration.pointee.traits.contains(.performing)
    }

    /// Whether the request only asks to let go of an instance.
    var isRelease: Bool { pointee.flags & PerformDoor.releaseFlag != 0 }

    /// Whether the caller wants the target's instance to be kept.
    var isCached: Bool { pointee.flags & PerformDoor.cachedFlag != 0 }

    /// What is said of a target that was not performed; nil for a request that was to perform none.
    func performReason(_ status: Status) -> String? {
        let isFromRule = pointee.kind == .open
        guard pointee.kind == .perform || (isFromRule && pointee.rule != nil) else { return nil }
        if let refusal = pointee.extras?.refusal, refusal.status == status, !refusal.message.isEmpty {
            return refusal.message
        }
        let name = target.map { "'\(String(decoding: $0, as: UTF8.self))'" } ?? "no target"
        let what =
            isFromRule ? "the rule '\(pointee.rule?.rule.id ?? "")' leads to \(name), which" : "the target \(name)"
        switch status {
        case .denied where !isFromRule && !pointee.isLocal: return "\(what) is not for remote origins"
        case .denied: return "\(what) is not on the allow-list"
        case .noTarget: return isFromRule && target == nil ? "\(what) nobody handles" : "\(what) nobody finds"
        case .noAction: return "\(what) has no selector '\(String(decoding: action ?? .empty, as: UTF8.self))'"
        default: return nil
        }
    }
}
