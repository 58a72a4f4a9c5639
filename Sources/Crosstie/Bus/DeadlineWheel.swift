/// Every asynchronous request of a pool that has not finished, by its deadline: a hashed timing wheel (Varghese and
/// Lauck, "Hashed and Hierarchical Timing Wheels", 1987). The slots are chains through the blocks, so that adding and
/// removing one writes a few words.
///
/// It holds no references: a request is removed before its last one goes.
struct DeadlineWheel {
    private let slots: UnsafeMutablePointer<Slot>

    private struct Slot {
        var first: RequestBlock.Pointer?
        /// None of the slot's requests ends before. It may be earlier than that of any, when others were removed.
        var earliest: UInt64 = Clock.never
    }

    /// A slot spans 16.8 ms, a turn 4.3 s. Those without a deadline have one slot to themselves, the last.
    private static var slotShift: UInt64 { 24 }
    private static var timed: Int { 256 }
    private static var count: Int { timed + 1 }

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    func free() { slots.deallocate() }

    @inline(__always)
    private func slot(of block: RequestBlock.Pointer) -> UnsafeMutablePointer<Slot> {
        let deadline = block.pointee.deadline
        guard deadline != Clock.never else { return slots + Self.timed }
        return slots + Int(truncatingIfNeeded: deadline >> Self.slotShift) & (Self.timed - 1)
    }

    @inline(__always)
    func insert(_ block: RequestBlock.Pointer) {
        let slot = slot(of: block)
        block.pointee.isListed = true
        block.pointee.liveLink = slot.pointee.first
        block.pointee.liveBackLink = nil
        slot.pointee.first?.pointee.liveBackLink = block
        slot.pointee.first = block
        if block.pointee.deadline < slot.pointee.earliest { slot.pointee.earliest = block.pointee.deadline }
    }

    /// Takes a request out, if it is in.
    @inline(__always)
    func remove(_ block: RequestBlock.Pointer) {
        guard block.pointee.isListed else { return }
        block.pointee.isListed = false
        let (after, before) = (block.pointee.liveLink, block.pointee.liveBackLink)
        after?.pointee.liveBackLink = before
        if let before {
            before.pointee.liveLink = after
        } else {
            let slot = slot(of: block)
            slot.pointee.first = after
            if after == nil { slot.pointee.earliest = Clock.never }
        }
    }

    /// No deadline comes before.
    var nearest: UInt64 { (0..<Self.timed).reduce(Clock.never) { min($0, slots[$1].earliest) } }

    /// Takes out the requests whose time has come, queued ones first.
    func takeDue(_ now: UInt64) -> RequestChain {
        var due = RequestChain()
        for index in 0..<Self.timed where slots[index].earliest <= now {
            take(from: index, into: &due) { $0.pointee.deadline <= now }
        }
        return due
    }

    /// Takes out all that `isWanted`, queued ones first.
    func take(where isWanted: (RequestBlock.Pointer) -> Bool) -> RequestChain {
        var taken = RequestChain()
        for index in 0..<Self.count { take(from: index, into: &taken, where: isWanted) }
        return taken
    }

    private func take(
        from index: Int, into taken: inout RequestChain, where isWanted: (RequestBlock.Pointer) -> Bool
    ) {
        var (next, earliest) = (slots[index].first, Clock.never)
        while let block = next {
            next = block.pointee.liveLink
            if isWanted(block) {
                remove(block)
                block.pointee.references.add()
                if block.pointee.isQueued { taken.prepend(block) } else { taken.append(block) }
            } else {
                earliest = min(earliest, block.pointee.deadline)
            }
        }
        slots[index].earliest = earliest
    }
}
