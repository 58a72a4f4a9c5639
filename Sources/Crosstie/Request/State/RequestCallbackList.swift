import Synchronization

/// The callbacks of a request, the newest first. The lowest bits of the word that leads to them say what can no longer
/// be added.
package struct RequestCallbackList: ~Copyable, Sendable {
    private let word = Atomic<UInt>(0)

    /// The callbacks that see the response have been called.
    private static var closedForResponses: UInt { 1 }
    /// The list has been taken.
    private static var closed: UInt { 2 }
    private static var flags: UInt { 3 }

    /// The word, of which all bits are 0 while the list has never been used.
    @inline(__always)
    var bits: UInt { word.load(ordering: .relaxed) }

    /// Prepares a record for its next request.
    func reset() { word.store(0, ordering: .relaxed) }

    /// Adds a callback: *alreadyDone* if it is too late for it, *limitExceeded* if there are too many of its kind.
    func add(_ callback: RequestCallback) -> Status {
        let node = RequestCallback.Pointer.allocate(capacity: 1)
        node.initialize(to: callback)
        let status = push(node)
        if status != .ok {
            node.deinitialize(count: 1)
            node.deallocate()
        }
        return status
    }

    private func push(_ node: RequestCallback.Pointer) -> Status {
        let late = node.pointee.isCancellation ? Self.closed : Self.flags
        var seen = word.load(ordering: .acquiring)
        while true {
            guard seen & late == 0 else { return .alreadyDone }
            guard node.pointee.follow(Self.first(seen)) else { return .limitExceeded }
            let (won, now) = word.compareExchange(
                expected: seen, desired: UInt(bitPattern: node) | seen & Self.flags, ordering: .acquiringAndReleasing)
            if won { return .ok }
            seen = now
        }
    }

    /// Closes the list to callbacks that see the response, and calls `body` with each callback, the newest first.
    func closeForResponses(_ body: (RequestCallback.Pointer) -> Void) {
        Self.forEach(
            from: Self.first(word.bitwiseOr(Self.closedForResponses, ordering: .acquiringAndReleasing).newValue), body)
    }

    /// Closes the list, and calls `body` with each callback, the oldest first.
    func close(_ body: (RequestCallback) -> Void) {
        var oldest: RequestCallback.Pointer?
        Self.forEach(from: Self.first(word.exchange(Self.closed, ordering: .acquiringAndReleasing))) { callback in
            callback.pointee.next = oldest
            oldest = callback
        }
        Self.forEach(from: oldest) { callback in
            body(callback.pointee)
            callback.deinitialize(count: 1)
            callback.deallocate()
        }
    }

    private static func first(_ word: UInt) -> RequestCallback.Pointer? {
        RequestCallback.Pointer(bitPattern: word & ~flags)
    }

    /// Calls `body`, which may free it, with each callback.
    private static func forEach(from first: RequestCallback.Pointer?, _ body: (RequestCallback.Pointer) -> Void) {
        var next = first
        while let callback = next {
            next = callback.pointee.next
            body(callback)
        }
    }
}
