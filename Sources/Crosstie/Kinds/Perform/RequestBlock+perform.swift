/// The words and the flags of a request that performs a target.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the request only releases an instance.
    var isRelease: Bool { pointee.flags & RequestFlags.release != 0 }

    /// Whether the caller wants the target's instance to be kept.
    var isCached: Bool { pointee.flags & RequestFlags.cached != 0 }

    /// The message about a target that was not performed; nil for other requests.
    func performReason(_ status: Status) -> String? {
        let isFromRule = pointee.kind == .open
        guard pointee.kind == .perform || (isFromRule && pointee.rule != nil) else { return nil }
        if let refusal = pointee.extras?.refusal, refusal.status == status, !refusal.message.isEmpty {
            return refusal.message
        }
        let name = target.map { Quotation.quoted($0) } ?? "no target"
        let what =
            isFromRule ? "the rule '\(pointee.rule?.rule.id ?? "")' leads to \(name), which" : "the target \(name)"
        switch status {
        case .denied where !isFromRule && !pointee.isLocal: return "\(what) is not for remote origins"
        case .denied: return "\(what) is not on the allow-list"
        case .noTarget: return isFromRule && target == nil ? "\(what) nobody handles" : "\(what) nobody finds"
        case .noAction: return "\(what) has no selector \(Quotation.quoted(action ?? .empty))"
        default: return nil
        }
    }
}

extension Request {
    /// Whether the caller wants the target's instance to be kept, for a performed target.
    public var isCached: Bool { block?.isCached ?? false }

    /// Whether it only releases the kept instance: it has no selector then.
    public var isRelease: Bool { block?.isRelease ?? false }
}
