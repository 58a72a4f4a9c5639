import Synchronization

/// Making and recycling blocks: from the thread's own small pool, without an atomic operation.
extension RequestBlock {
    /// Blocks that a thread keeps for itself at most.
    fileprivate static var pooled: Int { 64 }

    /// Blocks that move at once from one thread's pool to another's: those of asynchronous requests are made on one
    /// thread and end on another, and the lock of the table is one for all.
    fileprivate static var batch: Int { 32 }

    /// A fresh, live, open request with one reference; nil when a million are live.
    @inline(always)
    package static func make(
        _ kind: RequestKind, on slot: UnsafeMutablePointer<ThreadSlot>, bus: BusRecord.Pointer, handle: Handle
    ) -> Pointer? {
        guard let block = takeFree(slot) else { return nil }
        block.pointee.completionWord.reset()
        block.pointee.references.start()
        block.pointee.retainCount.reset()
        block.pointee.exposure.reset()
        block.pointee.isAsynchronous = false
        block.pointee.verdict = .none
        block.pointee.isShared = false
        block.pointee.isNearest = bus.pointee.isNearest
        block.pointee.flags = 0
        block.pointee.timeLimit = .usual
        block.pointee.dispatcher = 0
        block.pointee.priority = 0
        block.pointee.captureCount = 0
        block.pointee.gate.reset()
        block.resetStages()
        block.pointee.kind = kind
        block.pointee.status = .ok
        block.pointee.code = 1
        block.pointee.bus = bus
        block.pointee.busHandle = handle
        block.pointee.header.publish()
        return block
    }

    @inline(__always)
    private static func takeFree(_ slot: UnsafeMutablePointer<ThreadSlot>) -> Pointer? {
        guard let block = slot.pointee.freeBlocks ?? takeBatch(slot) else { return makeRecord() }
        slot.pointee.freeBlocks = block.pointee.link
        slot.pointee.freeBlockCount &-= 1
        return block
    }

    /// Takes a batch of blocks that another thread has given away. Returns the first one, which stays in the pool.
    @inline(never)
    private static func takeBatch(_ slot: UnsafeMutablePointer<ThreadSlot>) -> Pointer? {
        let batches = ProcessState.current
        guard batches.pointee.blockBatches.load(ordering: .relaxed) != 0 else { return nil }
        let first = ProcessState.lock.with {
            let first = Pointer(bitPattern: batches.pointee.blockBatches.load(ordering: .relaxed))
            batches.pointee.blockBatches.store(UInt(bitPattern: first?.pointee.backLink), ordering: .relaxed)
            return first
        }
        slot.pointee.freeBlocks = first
        slot.pointee.freeBlockCount = first == nil ? 0 : batch
        return first
    }

    /// Takes a record from the table, and sets its plain fields as a recycled one has them.
    @inline(never)
    private static func makeRecord() -> Pointer? {
        let raw = ProcessState.lock.with { ProcessState.current.pointee.requests.take(stride: Layout.stride) }
        guard let block = raw?.assumingMemoryBound(to: RequestBlock.self) else { return nil }
        block.pointee.value = .null
        block.pointee.message = .null
        block.pointee.userInfo = .null
        block.pointee.params = .null
        block.pointee.pattern = nil
        block.pointee.keepsPattern = false
        block.pointee.rule = nil
        block.pointee.extras = nil
        block.pointee.answerSource = nil
        block.pointee.runtime = nil
        block.pointee.completion = nil
        block.pointee.completionContext = CallbackContext(pointer: nil, destroy: nil)
        block.pointee.overflow = nil
        block.pointee.isListed = false
        block.pointee.isQueued = false
        block.pointee.isFollowed = false
        block.pointee.isAbandoned = false
        block.pointee.workers = 0
        return block
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    package var handle: OpaquePointer? { opaque(.request) }

    /// The handle of a kind, as C sees it.
    @inline(__always)
    package func opaque(_ kind: HandleKind) -> OpaquePointer? {
        OpaquePointer(bitPattern: pointee.header.handle(kind).bits)
    }

    /// Adds a reference that ``drop()`` removes.
    package func addReference() { pointee.references.add() }

    /// Drops one reference. The last one ends the record's life.
    @inline(__always)
    package func drop() {
        if pointee.references.remove() { recycle() }
    }

    /// The same on a thread of the library. Hooks of foreign values run as inside a callback there: a bus that
    /// they close must not wait for this very thread.
    func dropAsCallback() { ThreadSlot.current.withCallback { drop() } }

    @inline(__always)
    private func recycle() {
        let generation = pointee.header.generation.load(ordering: .relaxed)
        pointee.header.generation.store(generation &+ 1, ordering: .releasing)
        pointee.value.release()
        pointee.value = .null
        if pointee.pattern != nil || pointee.overflow != nil { freeParts() }
        if pointee.rule != nil || pointee.extras != nil || pointee.answerSource != nil { freeExtras() }
        if hasKeptValues { freeKeptValues() }
        if pointee.userInfo.bits != ValueRef.null.bits || pointee.message.bits != ValueRef.null.bits { freeTexts() }
        pointee.params.release()
        pointee.params = .null
        let slot = ThreadSlot.current
        if slot.pointee.freeBlockCount >= RequestBlock.pooled { slot.giveBatch() }
        slot.give(self)
    }

    private func freeParts() {
        if pointee.keepsPattern { pointee.pattern?.release() }
        pointee.keepsPattern = false
        pointee.pattern = nil
        Memory.free(pointee.overflow)
        pointee.overflow = nil
    }

    private func freeExtras() {
        pointee.rule = nil
        pointee.extras = nil
        pointee.answerSource = nil
        pointee.isFollowed = false
    }

    /// Makes the request as one that no interceptor has seen.
    @inline(__always)
    func resetStages() {
        pointee.ownStage = 0
        pointee.busPosition = .min
        pointee.routeStage = 0
    }

    private func freeTexts() {
        pointee.userInfo.release()
        pointee.userInfo = .null
        pointee.message.release()
        pointee.message = .null
    }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    @inline(__always)
    fileprivate func give(_ block: RequestBlock.Pointer) {
        block.pointee.link = pointee.freeBlocks
        pointee.freeBlocks = block
        pointee.freeBlockCount &+= 1
    }

    /// Gives the newest blocks to other threads, linked as they are. The first one leads to the batch before.
    @inline(never)
    fileprivate func giveBatch() {
        guard let first = pointee.freeBlocks else { return }
        var last = first
        for _ in 1..<RequestBlock.batch {
            guard let next = last.pointee.link else { return }
            last = next
        }
        pointee.freeBlocks = last.pointee.link
        pointee.freeBlockCount &-= RequestBlock.batch
        last.pointee.link = nil
        let batches = ProcessState.current
        ProcessState.lock.with {
            first.pointee.backLink = RequestBlock.Pointer(
                bitPattern: batches.pointee.blockBatches.load(ordering: .relaxed))
            batches.pointee.blockBatches.store(UInt(bitPattern: first), ordering: .relaxed)
        }
    }
}
