internal import CPlatform
import Synchronization

/// The receiving end of a direction of shared memory.
final class Inbox: Sendable {
    private let memory: SharedMemory
    private let direction: Int
    /// The number of entries that were taken. Changed with the owner's lock.
    private let tail = Atomic<UInt32>(0)
    /// Whether what waits is for the join's thread.
    private let isLeft = Atomic<Bool>(false)
    /// Whether no more frames are taken from it.
    private let isOver = Atomic<Bool>(false)

    init(_ memory: SharedMemory, direction: Int) { (self.memory, self.direction) = (memory, direction) }

    /// An entry whose fields were read once, and checked.
    struct Entry {
        let size: Int
        let location: FrameLocation
        let ticket: AnswerTicket?
    }

    /// The next entry.
    enum Next {
        case nothing, entry(Entry)
        /// The peer has broken the form.
        case broken
    }

    private func word(_ offset: Int) -> UnsafeMutablePointer<UInt32> {
        memory.word(SharedLayout.control(direction) + offset)
    }

    // MARK: Frames, with the owner's lock

    var next: Next {
        let tail = tail.load(ordering: .relaxed)
        let waiting = cp_word_acquire(word(SharedLayout.head)) &- tail
        guard waiting > 0 else { return .nothing }
        guard waiting <= UInt32(SharedLayout.slots) else { return .broken }
        let fields = word(SharedLayout.entries + Int(tail) % SharedLayout.slots * SharedLayout.entrySize)
        let (size, answer) = (cp_word_relaxed(fields), cp_word_relaxed(fields + 2))
        guard let location = FrameLocation(cp_word_relaxed(fields + 1)), size <= UInt32(location.size),
            size > 0 || location == .socket, answer <= UInt32(SharedLayout.slots)
        else { return .broken }
        let generation = cp_word_relaxed(fields + 3) % AnswerTicket.generations
        let ticket = answer == 0 ? nil : AnswerTicket(index: Int(answer) - 1, generation: generation)
        return .entry(Entry(size: Int(size), location: location, ticket: ticket))
    }

    /// A copy of the frame of the next entry.
    func copy(_ entry: Entry) -> [UInt8] {
        return [UInt8](unsafeUninitializedCapacity: entry.size) { room, count in
            let bytes = memory.bytes(entry.location.offset(direction))
            room.baseAddress.map { UnsafeMutableRawPointer($0).copyMemory(from: bytes, byteCount: entry.size) }
            count = entry.size
        }
    }

    /// The kind of the next entry's frame, for a look: only the copy says what it is.
    func seemsToBe(_ kind: Frame.Kind, _ entry: Entry) -> Bool {
        let first = cp_word_relaxed(memory.word(entry.location.offset(direction)))
        return UInt8(truncatingIfNeeded: UInt32(littleEndian: first)) == kind.rawValue
    }

    /// The bytes behind a frame in a block, up to the most bytes of a frame. Only copies may be made of them.
    func outside(_ entry: Entry, limit: Int) -> OutsideBytes {
        guard case .block = entry.location else { return .none }
        let most = min(entry.location.size, limit)
        let start = memory.bytes(entry.location.offset(direction))
        return OutsideBytes(UnsafeRawBufferPointer(start: start + entry.size, count: max(most - entry.size, 0)))
    }

    /// Gives the block of an entry back to the sender, after the last look at its bytes.
    func giveBack(_ entry: Entry) {
        if case .block(let index) = entry.location { cp_word_release(word(SharedLayout.blockWords + 4 * index), 0) }
    }

    /// Takes the next entry, and gives its slot back to the sender.
    func take(_ entry: Entry) {
        let taken = tail.load(ordering: .relaxed) &+ 1
        tail.store(taken, ordering: .sequentiallyConsistent)
        cp_word_release(word(SharedLayout.tail), taken)
    }

    // MARK: Waiting

    /// Whether a worker has a reason not to sleep: a frame that it may look at, or the end.
    var hasNews: Bool { hasEnded || isWaiting && !isLeft.load(ordering: .relaxed) }

    var hasEnded: Bool { isOver.load(ordering: .sequentiallyConsistent) }

    /// Wakes the worker that sleeps on it, so that it drops the inbox.
    func end() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        become(.awake)
        _ = cp_futex_wake(word(SharedLayout.wakeup), 1, true)
    }

    private var isWaiting: Bool {
        cp_word_in_order(word(SharedLayout.head)) != tail.load(ordering: .sequentiallyConsistent)
    }

    /// Leaves what waits to the join's thread, or ends that.
    func leave(_ isLeft: Bool) { self.isLeft.store(isLeft, ordering: .sequentiallyConsistent) }

    /// Says how the next frame is to be noticed.
    func become(_ state: InboxState) { _ = cp_word_exchange(word(SharedLayout.wakeup), state.rawValue) }

    /// Has the next frame noticed by the socket. False if there is one already.
    func poll() -> Bool {
        become(.polls)
        guard isWaiting else { return true }
        become(.awake)
        return false
    }

    /// The word to sleep on after ``become(_:)``.
    var wakeup: cp_watched { cp_watched(word: word(SharedLayout.wakeup), expected: InboxState.sleeps.rawValue) }
}
