internal import CPlatform

/// The sending end of a direction of shared memory. Only with its owner's lock.
struct Outbox {
    private let memory: SharedMemory
    private let direction: Int
    /// The number of entries that were ever made.
    private var head: UInt32 = 0
    /// The slot of the next frame that needs one. It begins at the first again when all frames were taken, so that a peer
    /// which takes each at once touches few pages.
    private var nextSlot = 0

    init(_ memory: SharedMemory, direction: Int) { (self.memory, self.direction) = (memory, direction) }

    /// The result of sending a frame.
    enum Sending {
        case sent(Wake)
        /// It has no room.
        case full
        /// The peer has broken the form.
        case broken
    }

    /// The way to wake the peer that is left to the caller.
    enum Wake {
        case nothing, socket
    }

    private func word(_ offset: Int) -> UnsafeMutablePointer<UInt32> {
        memory.word(SharedLayout.control(direction) + offset)
    }

    /// The entries that the peer has not taken; nil if it broke the form.
    private var used: Int? {
        let used = head &- cp_word_acquire(word(SharedLayout.tail))
        return used <= UInt32(SharedLayout.slots) ? Int(used) : nil
    }

    /// Whether the peer takes what it gets.
    var isHalfEmpty: Bool { used.map { $0 <= SharedLayout.slots / 2 } ?? false }

    /// Sends a frame. The last entry is kept for ``turnToSocket()``.
    mutating func send(
        _ frame: UnsafeRawBufferPointer, _ ticket: AnswerTicket?, _ outside: OutsideContents = .none
    ) -> Sending {
        guard let used else { return .broken }
        guard used < SharedLayout.slots - 1, let location = location(for: frame.count + outside.size, used),
            let bytes = frame.baseAddress
        else {
            return .full
        }
        let room = memory.bytes(location.offset(direction))
        room.copyMemory(from: bytes, byteCount: frame.count)
        outside.copy(to: room + frame.count)
        switch location {
        case .block(let index): cp_word_release(word(SharedLayout.blockWords + 4 * index), 1)
        case .slot(let index): nextSlot = (index + 1) % SharedLayout.slots
        case .socket: break
        }
        return .sent(enter(location, frame.count, ticket))
    }

    /// Tells the peer that further frames come by the socket.
    mutating func turnToSocket() -> Sending {
        guard let used else { return .broken }
        return used < SharedLayout.slots ? .sent(enter(.socket, 0, nil)) : .full
    }

    /// The smallest slot or block that is free.
    private func location(for size: Int, _ used: Int) -> FrameLocation? {
        if size <= SharedLayout.slotSize { return .slot(used == 0 ? 0 : nextSlot) }
        for index in 0..<SharedLayout.blocks where size <= SharedLayout.blockSize(index) {
            if cp_word_acquire(word(SharedLayout.blockWords + 4 * index)) == 0 { return .block(index) }
        }
        return nil
    }

    private mutating func enter(_ location: FrameLocation, _ size: Int, _ ticket: AnswerTicket?) -> Wake {
        let entry = word(SharedLayout.entries + Int(head) % SharedLayout.slots * SharedLayout.entrySize)
        entry[0] = UInt32(size)
        entry[1] = location.code
        entry[2] = ticket.map { UInt32($0.index) + 1 } ?? 0
        entry[3] = ticket?.generation ?? 0
        head &+= 1
        _ = cp_word_exchange(word(SharedLayout.head), head)
        return wake()
    }

    private func wake() -> Wake {
        let wakeup = word(SharedLayout.wakeup)
        guard cp_word_in_order(wakeup) != InboxState.awake.rawValue else { return .nothing }
        switch InboxState(rawValue: cp_word_exchange(wakeup, InboxState.awake.rawValue)) {
        case .polls: return .socket
        case .sleeps:
            cp_futex_wake(wakeup, 1, true)
            return .nothing
        case .awake, nil: return .nothing
        }
    }
}
