/// The kinds of request that go to providers: sharing, signing in, launching, and activities.
enum HandOffKind: KindOfRequest {
    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution { HandOffResolver.resolve(block) }

    static func nameRoles(_ kind: RequestKind) -> (target: String, action: String) {
        switch kind {
        case .share: ("endpoint", "")
        case .activity: ("activity", "")
        default: ("platform", "")
        }
    }

    /// *ok*, or what is wrong with the name of an endpoint or a platform, or with a message: *limitExceeded*, *invalidUTF8*,
    /// *invalidArgument*, *wrongType*.
    @inline(never)
    static func check(_ callee: Callee, _ kind: RequestKind) -> Status {
        guard callee.target.count <= Name.maximumSize, callee.action.count <= Name.maximumSize else {
            return .limitExceeded
        }
        guard isUTF8(callee.target) else { return .invalidUTF8 }
        let hasParams = callee.params.kind != .null
        guard kind != .activity else { return hasParams ? callee.checkParams() : .wrongType }
        guard !callee.target.isEmpty else { return .invalidArgument }
        return kind == .share && !hasParams ? .wrongType : callee.checkParams()
    }

    /// URLs and activities may be meant for others. That no provider serves the rest is logged.
    static func message(of block: RequestBlock.Pointer, failedWith status: Status) -> String? {
        guard status == .noHandler else { return nil }
        let target = Quotation.quoted(block.target ?? .empty)
        let message =
            switch block.pointee.kind {
            case .share: "no provider shares to \(target)"
            case .oauth: "no provider signs in with \(target)"
            case .launch: "no provider launches programs of \(target)"
            default: "no provider claims it"
            }
        if block.pointee.kind != .open, block.pointee.kind != .activity {
            BusRecord.write(about: block, .error, message)
        }
        return message
    }
}
