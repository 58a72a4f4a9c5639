/// A queue of completions and listeners for the host's own event loop.
///
/// The host watches ``descriptor``, and calls ``dispatch()`` when it is readable: completions and progress of requests
/// that name the loop run there, on that thread, and so do listeners of wormholes. When the loop goes away, what is due
/// runs, and later completions run on workers, listeners on their wormhole's thread; the loop of a bus or a wormhole
/// ends with that.
public final class Loop: Sendable {
    package let queue: LoopQueue

    /// Makes a loop.
    ///
    /// - Throws: *systemFailure* when there is no descriptor.
    public init() throws(CrosstieError) { queue = try LoopQueue() }

    package init(_ queue: LoopQueue) { self.queue = queue }

    deinit { if !queue.isOwned { queue.close() } }

    /// Readable while something is due. It is the loop's own: to be watched, not read and not closed. -1 for the loop
    /// of a bus or a wormhole that has closed.
    public var descriptor: Int32 { queue.descriptor }

    /// Runs the items that are due, in the order in which they came; never waits. Items that become due meanwhile are left to
    /// the next dispatch.
    ///
    /// - Returns: how many callbacks ran.
    @discardableResult
    public func dispatch() -> Int { queue.dispatch() }
}
