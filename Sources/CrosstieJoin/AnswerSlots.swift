internal import CPlatform
internal import Glibc

/// The slots in shared memory where callers of this process wait for their answers, each beside a word with its state.
final class AnswerSlots: @unchecked Sendable {
    private let memory: SharedMemory
    private let direction: Int
    private let lock = Lock()
    // Guarded by the lock.
    private var free = Array((0..<SharedLayout.slots).reversed())
    private var lastGeneration: UInt32 = 0
    /// Slots that were given up while the peer wrote there.
    private var givenUp: [AnswerTicket] = []

    init(_ memory: SharedMemory, direction: Int) { (self.memory, self.direction) = (memory, direction) }

    deinit { lock.free() }

    /// The lower bits of a word; the others are the generation.
    fileprivate enum State: UInt32 {
        case free, waiting, writing, written
    }

    fileprivate static func word(
        _ state: State, _ ticket: AnswerTicket
    ) -> UInt32 { ticket.generation << 2 | state.rawValue }

    fileprivate static func offset(_ direction: Int, _ ticket: AnswerTicket) -> Int {
        SharedLayout.control(direction) + SharedLayout.answers + ticket.index * SharedLayout.answerSize
    }

    private func word(_ ticket: AnswerTicket) -> UnsafeMutablePointer<UInt32> {
        memory.word(AnswerSlots.offset(direction, ticket))
    }

    /// A free slot for an answer; nil when all are taken.
    func reserve() -> AnswerTicket? {
        lock.lock()
        defer { lock.unlock() }
        if free.isEmpty { reclaim() }
        guard let index = free.popLast() else { return nil }
        lastGeneration = (lastGeneration &+ 1) % AnswerTicket.generations
        let ticket = AnswerTicket(index: index, generation: lastGeneration)
        _ = cp_word_exchange(word(ticket), AnswerSlots.word(.waiting, ticket))
        return ticket
    }

    /// Takes slots back whose answers have been written meanwhile.
    private func reclaim() {
        for position in givenUp.indices.reversed() {
            let ticket = givenUp[position]
            guard cp_word_acquire(word(ticket)) == AnswerSlots.word(.written, ticket) else { continue }
            givenUp.remove(at: position)
            free.append(ticket.index)
        }
    }

    /// Gives a slot back, exactly once. An answer that comes later is dropped.
    func giveBack(_ ticket: AnswerTicket) {
        let free = AnswerSlots.word(.free, ticket)
        let isFree =
            cp_word_replace(word(ticket), AnswerSlots.word(.waiting, ticket), free)
            || cp_word_acquire(word(ticket)) == AnswerSlots.word(.written, ticket)
        lock.lock()
        defer { lock.unlock() }
        if isFree { self.free.append(ticket.index) } else { givenUp.append(ticket) }
    }

    // MARK: Waiting

    /// The progress of an answer.
    enum Progress {
        /// It is not there yet; the word changes when it is.
        case awaited(cp_watched)
        /// A copy of its frame; empty for a wrong length.
        case written([UInt8])
        /// It will not come here.
        case never
    }

    func progress(_ ticket: AnswerTicket) -> Progress {
        let seen = cp_word_in_order(word(ticket))
        if seen == AnswerSlots.word(.written, ticket) { return .written(copy(ticket)) }
        let isAwaited = seen == AnswerSlots.word(.waiting, ticket) || seen == AnswerSlots.word(.writing, ticket)
        return isAwaited ? .awaited(cp_watched(word: word(ticket), expected: seen)) : .never
    }

    private func copy(_ ticket: AnswerTicket) -> [UInt8] {
        let size = Int(cp_word_relaxed(word(ticket) + 1))
        guard size <= SharedLayout.slotSize else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { room, count in
            let bytes = memory.bytes(SharedLayout.answer(direction, ticket.index))
            room.baseAddress.map { UnsafeMutableRawPointer($0).copyMemory(from: bytes, byteCount: size) }
            count = size
        }
    }
}

extension SharedMemory {
    /// Writes the answer where the caller, a peer, waits for it, or drops it if the caller does not any more. False if it has no
    /// room there.
    func answer(_ frame: UnsafeRawBufferPointer, in direction: Int, _ ticket: AnswerTicket) -> Bool {
        guard frame.count <= SharedLayout.slotSize, let bytes = frame.baseAddress else { return false }
        let word = word(AnswerSlots.offset(direction, ticket))
        guard cp_word_replace(word, AnswerSlots.word(.waiting, ticket), AnswerSlots.word(.writing, ticket)) else {
            return true
        }
        self.bytes(SharedLayout.answer(direction, ticket.index)).copyMemory(from: bytes, byteCount: frame.count)
        word[1] = UInt32(frame.count)
        _ = cp_word_exchange(word, AnswerSlots.word(.written, ticket))
        cp_futex_wake(word, 1, true)
        return true
    }
}
