internal import CPlatform
internal import Glibc
import Synchronization

/// A queue of calls for a host's event loop, and a descriptor that is readable while the queue has any.
package final class LoopQueue: @unchecked Sendable {
    /// Each holds a reference to its request.
    package enum Item {
        case completion(RequestBlock.Pointer)
        case progress(RequestBlock.Pointer, ValueRef)
        case job(any Job)
    }

    /// Whether it ends with its bus, or its wormhole, only.
    package let isOwned: Bool
    private let lock = Lock()
    private let forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    // With the lock held.
    /// -1 once it is closed.
    private var event: Int32
    // The items behind `taken` are due; the array is emptied when all have been taken.
    private var items: [Item] = []
    private var taken = 0
    /// The numbers of those that were ever added, and of those that were taken.
    private var addedCount: UInt64 = 0
    private var takenCount: UInt64 = 0
    private var isClosed = false
    /// The number of threads inside ``dispatch()``.
    private var dispatchers = 0
    /// The handle that stands for it, and what ends that.
    private var handle: (Handle, end: @Sendable () -> Void)?

    /// - Throws: *systemFailure* when there is no descriptor.
    package init(isOwned: Bool = false) throws(CrosstieError) {
        self.isOwned = isOwned
        event = cp_event_make()
        guard event >= 0 else {
            throw CrosstieError(.systemFailure, "no descriptor for a loop: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        closeEvent()
        lock.free()
    }

    private func closeEvent() {
        if event >= 0 { Glibc.close(event) }
        event = -1
    }

    /// Readable while something is due; -1 once it is closed.
    package var descriptor: Int32 { lock.with { event } }

    /// Whether it was made before a fork: the descriptor is the parent's as well, and the lock may never be given up.
    package var isFromBeforeFork: Bool {
        forkCount != ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    /// Adds what is due: *ok*. Else *closed* when nobody will dispatch it any more; *alreadyDone* for progress of a request
    /// that has ended: its completion may be in the queue.
    package func add(_ item: Item) -> Status {
        guard !isFromBeforeFork else { return .closed }
        return lock.with {
            guard !item.isLate else { return .alreadyDone }
            guard !isClosed else { return .closed }
            if items.isEmpty { cp_event_set(event) }
            items.append(item)
            addedCount &+= 1
            return .ok
        }
    }

    /// Runs the due items, in their order. Returns the number of callbacks.
    package func dispatch() -> Int {
        guard !isFromBeforeFork else { return 0 }
        let end = lock.with {
            dispatchers += 1
            return addedCount
        }
        var count = 0
        while let item = takeFirst(before: end) {
            if item.run() { count += 1 }
        }
        lock.with { dispatchers -= 1 }
        return count
    }

    var isBeingDispatched: Bool { lock.with { dispatchers > 0 } }

    private func takeFirst(before end: UInt64) -> Item? {
        lock.with {
            guard takenCount < end, taken < items.count else { return nil }
            let item = items[taken]
            taken += 1
            takenCount &+= 1
            forgetTaken()
            return item
        }
    }

    private func forgetTaken() {
        if taken == items.count {
            items.removeAll(keepingCapacity: taken <= 1024)
            taken = 0
            cp_event_clear(event)
        } else if taken > 1024, taken > items.count / 2 {
            items.removeFirst(taken)
            taken = 0
        }
    }

    /// Ends it: accepts no more items, and runs the due ones.
    package func close() {
        guard !isFromBeforeFork else { return }
        let handle = lock.with {
            isClosed = true
            defer { self.handle = nil }
            return self.handle
        }
        handle?.end()
        while let item = takeFirst(before: .max) { _ = item.run() }
        lock.with(closeEvent)
    }

    /// The handle that stands for it, made when it is first asked for.
    package func handle(
        _ make: () throws(CrosstieError) -> (Handle, end: @Sendable () -> Void)
    ) throws(CrosstieError) -> Handle {
        try lock.with { () throws(CrosstieError) in
            guard !isClosed else { throw CrosstieError(.invalidHandle, "the loop has ended") }
            if let handle { return handle.0 }
            let fresh = try make()
            handle = fresh
            return fresh.0
        }
    }
}

extension LoopQueue.Item {
    /// Whether it is progress of a request that has ended.
    fileprivate var isLate: Bool {
        if case .progress(let block, _) = self { block.isEnding } else { false }
    }

    /// Runs the item. False if it needs no call any more.
    fileprivate func run() -> Bool {
        switch self {
        case .completion(let block):
            guard block.keepsClaim() else { return false }
            _ = block.runCompletion()
        case .progress(let block, let value): block.deliverProgress(value)
        case .job(let job): return job.run()
        }
        return true
    }
}
