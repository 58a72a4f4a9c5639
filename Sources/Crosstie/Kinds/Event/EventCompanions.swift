/// Requests that end early with the one that they are made for.
final class EventCompanions: @unchecked Sendable {
    private let lock = Lock()
    /// Whether there is such a one. Set before any request is added.
    private var isFollowing = false
    // Guarded by the lock.
    /// Each with a reference.
    private var blocks: [RequestBlock.Pointer] = []
    private var isOver = false

    deinit { lock.free() }

    /// Has them end when a request is cancelled or its deadline passes.
    func follow(_ whole: RequestBlock.Pointer) {
        isFollowing = true
        let context = CallbackContext(holding: self)
        let status = whole.add(
            RequestCallback(
                .cancellation { CallbackContext.object($0, as: EventCompanions.self)?.cancel() }, context))
        guard status != .ok else { return }
        context.destroy()
        if status == .alreadyDone { cancel() }
    }

    /// Adds a request that has been started: its handler has returned, so that another thread may end it.
    func add(_ block: RequestBlock.Pointer) {
        guard isFollowing else { return }
        let isTooLate = lock.with { () -> Bool in
            if isOver { return true }
            block.pointee.references.add()
            blocks.append(block)
            return false
        }
        if isTooLate { block.end(.cancelled) }
    }

    func leave() { for block in take() { block.drop() } }

    private func cancel() {
        for block in take() {
            block.end(.cancelled)
            block.drop()
        }
    }

    private func take() -> [RequestBlock.Pointer] {
        lock.with {
            isOver = true
            defer { blocks = [] }
            return blocks
        }
    }
}
