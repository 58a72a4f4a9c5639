/// A kind of request: an `XKind` in the folder `Kinds/X`.
protocol KindOfRequest {
    /// Finds the handler of a request. It is called inside a read section.
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution

    /// *ok*, or what is wrong with the names of a request without a URL, or with its parameters.
    static func check(_ callee: Callee, _ kind: RequestKind) -> Status

    /// The words for the two names of a request without a URL; empty for a name that the kind does not have.
    static func nameRoles(_ kind: RequestKind) -> (target: String, action: String)

    /// Bytes of a target at most.
    static var maximumTargetSize: Int { get }

    /// Whether its requests may go to a peer.
    static var mayLeave: Bool { get }

    /// The message of a request that its resolver has failed with a status; nil for the status's own.
    static func message(of block: RequestBlock.Pointer, failedWith status: Status) -> String?

    /// The error in the input of a request that has failed with a status; nil where the message says it all.
    static func problem(of block: RequestBlock.Pointer, failedWith status: Status) -> CrosstieError?

    /// Answers a request for which the resolver has found *system*. It is called outside the read section.
    static func answer(_ block: RequestBlock.Pointer)
}

extension KindOfRequest {
    @inline(__always)
    static func check(_ callee: Callee, _ kind: RequestKind) -> Status { callee.checkSizes() }

    static func nameRoles(_ kind: RequestKind) -> (target: String, action: String) { ("component", "action") }

    static var maximumTargetSize: Int { Name.maximumSize }

    static var mayLeave: Bool { false }

    static func message(of block: RequestBlock.Pointer, failedWith status: Status) -> String? { nil }

    static func problem(of block: RequestBlock.Pointer, failedWith status: Status) -> CrosstieError? { nil }

    static func answer(_ block: RequestBlock.Pointer) { block.end(.noHandler) }

    /// Runs the best handler of a request. Each kind has a piece of code of its own, so that a call does not pay for what
    /// opening a URL needs.
    @inline(never)
    static func runBest(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        Pipeline.runBest(block, slot, Self.self)
    }
}
