/// The kinds of request. A new one gets a line in ``type(of:)``, and one in ``runBest(_:_:)`` and ``check(_:_:)`` so that
/// they need no dynamic call.
extension KindTable {
    /// The type of a kind, for functions that are not called for each request.
    static func type(of kind: RequestKind) -> any KindOfRequest.Type {
        switch kind {
        case .open: OpenKind.self
        case .call: CallKind.self
        case .event: EventKind.self
        case .perform: PerformKind.self
        case .share, .oauth, .launch, .activity: HandOffKind.self
        }
    }

    /// Runs the best handler of a request. True when it has to go on.
    @inline(__always)
    static func runBest(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        switch block.pointee.kind {
        case .open: OpenKind.runBest(block, slot)
        case .call: CallKind.runBest(block, slot)
        case .event: EventKind.runBest(block, slot)
        case .perform: PerformKind.runBest(block, slot)
        case .share, .oauth, .launch, .activity: HandOffKind.runBest(block, slot)
        }
    }

    /// Prepares an asynchronous request for its queue.
    @inline(__always)
    static func prepareForQueue(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) {
        if block.pointee.kind == .call { CallKind.prepareForQueue(block, slot) }
    }

    /// Whether an asynchronous request runs on its caller's thread.
    @inline(__always)
    static func runsAtOnce(_ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        block.pointee.kind == .call && CallKind.runsAtOnce(block, slot)
    }

    /// *ok*, or what is wrong with a request's names, or with its parameters.
    @inline(__always)
    static func check(_ callee: Callee, _ kind: RequestKind) -> Status {
        switch kind {
        case .open, .call, .event: callee.checkSizes()
        case .perform: PerformKind.check(callee, kind)
        case .share, .oauth, .launch, .activity: HandOffKind.check(callee, kind)
        }
    }
}
