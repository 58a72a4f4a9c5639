internal import CPlatform
internal import Glibc
import Synchronization

/// The library's state of one thread: its read section, the handlers it is running, a few free
/// request blocks. Slots are never freed; a thread's exit leaves its slot to the next thread.
package struct ThreadSlot: ~Copyable {
    /// Odd while the thread is inside a read section: see ``ReadSide``.
    package let reading: SlotWord
    /// The number of running callbacks on the stack.
    package let depth: SlotWord
    /// Whether the idle worker that this thread is has been called: the word that it sleeps on. Beside ``reading`` and
    /// ``depth``, see ``callWord``.
    package let isCalled: Atomic<UInt32>
    /// 1 while a thread of the library is awake: see ``LibraryThread/rest(_:)``.
    let isAtWork: SlotWord
    private let isTaken: Atomic<Bool>
    /// Address of the next older slot.
    fileprivate var next: UInt
    /// The running callbacks: for each the registration's index, which writers look for, ...
    package let running: UnsafeMutablePointer<UInt32>
    /// ... and the address of the request, which only this thread looks at; nil for a callback without one.
    package let requests: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// ... and whether requests made inside it may be local.
    package let trusts: UnsafeMutablePointer<Bool>
    /// The address of the first of this thread's free request blocks: see `freeBlocks`.
    package var freeBlockAddress: UnsafeMutableRawPointer?
    package var freeBlockCount: Int
    /// The address of the pool whose worker this thread is: see `pool`.
    package var poolAddress: UnsafeMutableRawPointer?
    /// The worker that was idle before this one was.
    package var nextSleeper: UnsafeMutablePointer<ThreadSlot>?
    /// The number of functions of transports that this thread is inside.
    var transportDepth: UInt32
    /// The deadline of its call on a wormhole with a transport: see `callDeadline`.
    var callDeadline: UInt64
    /// The reason that an engine gives for the failure of the function that this thread is inside: see `explanation`.
    var explanation: String?
    /// The bounds of the thread's stack, as far as they are known.
    var stack = StackRoom()
    /// The thread's position in the query of a request.
    package var queryCursor = QueryCursor()
    /// The host's function that is called while this thread waits: see ``setThreadWait(_:)``.
    var waitFunction: (() -> Bool)?
    #if CROSSTIE_DELAYS
        var randomState = SchedulePoint.seed()
    #endif

    /// Requests nested on one thread at most, so that no loop of opens eats the host's stack.
    package static var maximumDepth: UInt32 { 64 }
    /// Room on the stack: requests and, above them, completions and log callbacks.
    private static var capacity: Int { 128 }
    /// Bytes of the arrays that are the stack.
    private static var roomSize: Int {
        capacity * (MemoryLayout<UnsafeMutableRawPointer?>.size + MemoryLayout<UInt32>.size + MemoryLayout<Bool>.size)
    }

    /// - Parameter room: for the three arrays, ``roomSize`` bytes that are aligned for addresses.
    private init(next: UInt, _ room: UnsafeMutableRawPointer) {
        reading = SlotWord()
        depth = SlotWord()
        isCalled = Atomic(0)
        isAtWork = SlotWord()
        isTaken = Atomic(true)
        self.next = next
        requests = room.bindMemory(to: UnsafeMutableRawPointer?.self, capacity: ThreadSlot.capacity)
        requests.initialize(repeating: nil, count: ThreadSlot.capacity)
        let behind = UnsafeMutableRawPointer(requests + ThreadSlot.capacity)
        running = behind.bindMemory(to: UInt32.self, capacity: ThreadSlot.capacity)
        running.initialize(repeating: 0, count: ThreadSlot.capacity)
        let last = UnsafeMutableRawPointer(running + ThreadSlot.capacity)
        trusts = last.bindMemory(to: Bool.self, capacity: ThreadSlot.capacity)
        trusts.initialize(repeating: true, count: ThreadSlot.capacity)
        freeBlockAddress = nil
        freeBlockCount = 0
        poolAddress = nil
        nextSleeper = nil
        transportDepth = 0
        callDeadline = Clock.never
        explanation = nil
        waitFunction = nil
    }

    /// The futex word of ``isCalled``, in bytes from the start; a test compares it with the field's address.
    package static var callWord: Int { 2 * MemoryLayout<SlotWord>.stride }

    /// This thread's slot.
    @inline(__always)
    package static var current: UnsafeMutablePointer<ThreadSlot> {
        if let slot = cp_thread_slot() { return slot.assumingMemoryBound(to: ThreadSlot.self) }
        return claim()
    }

    /// The newest slot of the process; follow ``older(than:)``.
    package static var newest: UnsafeMutablePointer<ThreadSlot>? {
        UnsafeMutablePointer(bitPattern: ProcessState.current.pointee.threadSlots.load(ordering: .acquiring))
    }

    package static func older(than slot: UnsafeMutablePointer<ThreadSlot>) -> UnsafeMutablePointer<ThreadSlot>? {
        UnsafeMutablePointer(bitPattern: slot.pointee.next)
    }

    @inline(never)
    private static func claim() -> UnsafeMutablePointer<ThreadSlot> {
        ProcessState.prepare()
        let slot = reuse() ?? add()
        slot.pointee.stack = StackRoom()
        cp_set_thread_slot(slot)
        pthread_setspecific(ProcessState.current.pointee.threadExitKey.load(ordering: .relaxed), slot)
        return slot
    }

    private static func reuse() -> UnsafeMutablePointer<ThreadSlot>? {
        var candidate = newest
        while let slot = candidate {
            if slot.pointee.isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
                .exchanged
            {
                return slot
            }
            candidate = older(than: slot)
        }
        return nil
    }

    private static func add() -> UnsafeMutablePointer<ThreadSlot> {
        // Cache lines of its own, so that no other thread's writes slow this one's reads; the stack follows.
        let start = (MemoryLayout<ThreadSlot>.stride + 127) & ~127
        let bytes = (start + roomSize + 127) & ~127
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 128)
        let slot = memory.bindMemory(to: ThreadSlot.self, capacity: 1)
        ProcessState.lock.with {
            let head = ProcessState.current.pointee.threadSlots.load(ordering: .relaxed)
            slot.initialize(to: ThreadSlot(next: head, memory + start))
            ProcessState.current.pointee.threadSlots.store(UInt(bitPattern: slot), ordering: .releasing)
        }
        return slot
    }

    static func threadDidExit(_ raw: UnsafeMutableRawPointer?) {
        guard let slot = raw?.assumingMemoryBound(to: ThreadSlot.self), raw == cp_thread_slot() else { return }
        // A handler that ended its thread has not returned, and never will.
        slot.pointee.depth.store(0)
        slot.pointee.isAtWork.store(0)
        slot.pointee.transportDepth = 0
        slot.pointee.callDeadline = Clock.never
        slot.pointee.explanation = nil
        slot.pointee.waitFunction = nil
        SchedulePoint.drain()
        cp_set_thread_slot(nil)
        slot.pointee.isTaken.store(false, ordering: .releasing)
    }

    /// Frees, in a forked child, all slots except the forking thread's, which keeps the trust of its callbacks. The other
    /// threads do not exist in the child.
    static func didFork() {
        let own = cp_thread_slot()?.assumingMemoryBound(to: ThreadSlot.self)
        own?.pointee.next = 0
        own?.pointee.poolAddress = nil
        ProcessState.current.pointee.threadSlots.store(UInt(bitPattern: own), ordering: .relaxed)
    }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// Whether this thread is inside any callback of the library.
    package var isInCallback: Bool { pointee.depth.value != 0 || isInTransport }

    /// Whether this thread is inside a function of a host's transport.
    package var isInTransport: Bool { pointee.transportDepth != 0 }

    /// Notes that a function of a host's transport is about to run.
    package func enterTransport() { pointee.transportDepth &+= 1 }

    /// Notes that it has returned.
    package func leaveTransport() { pointee.transportDepth &-= 1 }

    /// The address of the request that this thread is handling, if any.
    @inline(__always)
    package var currentRequestAddress: UnsafeMutableRawPointer? {
        let depth = Int(pointee.depth.value)
        return depth == 0 ? nil : pointee.requests[depth - 1]
    }

    /// The registration whose callback this thread is running; 0 for none.
    var currentRegistration: UInt32 {
        let depth = Int(pointee.depth.value)
        return depth == 0 ? 0 : cp_word_relaxed(pointee.running + (depth - 1))
    }

    /// Whether what this thread opens now may be local: inside a remote request it may not.
    @inline(__always)
    package var isTrusted: Bool {
        let depth = Int(pointee.depth.value)
        return depth == 0 || pointee.trusts[depth - 1]
    }

    /// Whether one more request may run on this thread, inside those that do.
    @inline(__always)
    package var hasRoomForRequest: Bool {
        pointee.depth.value == 0 || hasRoomInside
    }

    /// Whether as many requests run on this thread, one inside the other, as may.
    var isAtMaximumDepth: Bool { pointee.depth.value >= ThreadSlot.maximumDepth }

    @inline(never)
    private var hasRoomInside: Bool {
        pointee.depth.value < ThreadSlot.maximumDepth && StackRoom.isEnough(for: self)
    }

    /// Whether there is room for a callback that is no request: a completion, a line of log.
    package var hasRoomForCallback: Bool {
        pointee.depth.value < 2 * ThreadSlot.maximumDepth
    }

    /// Notes that a callback of a registration is about to run. There must be room.
    @inline(__always)
    package func push(_ registration: UInt32, _ request: UnsafeMutableRawPointer?, isTrusted: Bool) {
        SchedulePoint.pass()
        let depth = pointee.depth.value
        cp_word_release(pointee.running + Int(depth), registration)
        pointee.requests[Int(depth)] = request
        pointee.trusts[Int(depth)] = isTrusted
        pointee.depth.store(depth &+ 1)
    }

    /// Notes that the newest callback has returned. The caller then looks whether its registration
    /// was removed meanwhile.
    @inline(__always)
    package func pop() {
        pointee.depth.store(pointee.depth.value &- 1)
        ReadSide.fence()
        SchedulePoint.pass()
    }

    /// Runs a callback that is no request's handler, with the trust that is in force. Without room on
    /// the stack (callbacks of callbacks, 128 deep) it runs unnoted, and trusted no more than that.
    package func withCallback(of registration: UInt32 = 0, isTrusted: Bool? = nil, _ body: () -> Void) {
        guard hasRoomForCallback else { return withLoweredTrust(isTrusted ?? true, body) }
        push(registration, nil, isTrusted: isTrusted ?? self.isTrusted)
        body()
        pop()
    }

    /// Lets the newest callback of a full stack be trusted no more than `isTrusted` while `body` runs.
    package func withLoweredTrust(_ isTrusted: Bool, _ body: () -> Void) {
        let newest = pointee.trusts + (Int(pointee.depth.value) - 1)
        let before = newest.pointee
        newest.pointee = before && isTrusted
        body()
        newest.pointee = before
    }

    /// Whether this thread is handling a request, at whatever depth.
    package func isHandling(_ request: UnsafeMutableRawPointer) -> Bool {
        (0..<Int(pointee.depth.value)).contains { pointee.requests[$0] == request }
    }

    /// Whether this thread is running a callback of a registration.
    package func isRunning(_ registration: UInt32) -> Bool {
        let depth = Int(seenDepth)
        for position in 0..<depth where cp_word_relaxed(pointee.running + position) == registration {
            return true
        }
        return false
    }

    /// The depth as the calling thread sees it; a thread sees its own stores at once.
    private var seenDepth: UInt32 {
        #if CROSSTIE_DELAYS
            self == ThreadSlot.current ? pointee.depth.value : pointee.depth.seenByOthers
        #else
            pointee.depth.seenByOthers
        #endif
    }
}
