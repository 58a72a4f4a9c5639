internal import Glibc
import Synchronization

/// The thread that finds the listeners of a wormhole that have news, and calls those without another executor.
final class ListenerThread {
    let transport: AnyTransport
    let table: ListenerTable
    private let log: WormholeLog?
    private let isStopping = Atomic(false)
    private let whenOver: () -> Void
    private var thread = pthread_t()
    /// The hash of the listener with the last delivery in the last round; nil if there was none.
    var lastDelivered: UInt64?
    /// The number of queue messages delivered since it last rested, except those that came one at a time, whose sender
    /// may be waiting for an answer.
    var streamedCount = 0
    /// The last observed value of ``Transport/givenBackCount``.
    var seenGivenBack: UInt64 = 0
    private var nextTick: UInt64 = 0

    private static var tick: UInt64 { 1_000_000_000 }

    /// - Parameter whenOver: runs on the thread as its last act.
    init(
        _ transport: AnyTransport, _ table: ListenerTable, _ log: WormholeLog?, whenOver: @escaping () -> Void
    ) {
        self.transport = transport
        self.table = table
        self.log = log
        self.whenOver = whenOver
    }

    var shallStop: Bool { isStopping.load(ordering: .relaxed) }

    func start() throws(CrosstieError) {
        let box = UnsafeMutablePointer<ListenerThread>.allocate(capacity: 1)
        box.initialize(to: self)
        let failure = LibraryThread.start(&thread, box) { ListenerThread.main($0) }
        guard failure == 0 else {
            box.deinitialize(count: 1)
            box.deallocate()
            throw .system("start a thread", failure)
        }
    }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        table.nudge()
    }

    /// Waits for the thread's end, or, if it must not be waited for, lets it end by itself.
    func end(waiting: Bool) {
        if waiting { pthread_join(thread, nil) } else { pthread_detach(thread) }
    }

    private static func main(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let box = raw?.assumingMemoryBound(to: ListenerThread.self) else { return nil }
        let thread = box.move()
        box.deallocate()
        thread.run()
        thread.whenOver()
        return nil
    }

    private func run() {
        LibraryThread.begin("crosstie")
        while !shallStop {
            // Read before looking into the store: a notification in between prevents the sleep below.
            let mark = transport.mark()
            if transport.hasMoved { transport.followMove(table) }
            deliver()
            flushLog()
            if shallStop { return }
            let wakeTime = min(table.putBackWhoseTimeHasCome(), transport.heedTimer())
            if wakeTime > 0 { rest(since: mark, until: wakeTime) }
            tickIfDue()
            flushLog()
        }
    }

    /// Reports found by this thread or another one.
    private func flushLog() {
        if let log, log.hasLines { log.flush() }
    }

    /// No listener is due. After a stream of messages it rests for 50 microseconds: then it finds several messages at
    /// once, and no writer has had to wake it for each.
    private func rest(since mark: WakeMark, until wakeTime: UInt64) {
        if streamedCount >= 4 {
            LibraryThread.rest { Clock.sleep(nanoseconds: 50_000) }
        } else {
            if let lastDelivered, transport.isNotifiedSoon(since: mark, hash: lastDelivered) { return }
            transport.sleep(since: mark, until: wakeTime)
        }
        streamedCount = 0
    }

    /// Once a second: frees the resources of dead processes, and reports their leaving to the listeners to members.
    private func tickIfDue() {
        let now = Clock.now()
        guard now >= nextTick else { return }
        // On whole seconds, so that a process that wakes then for another reason need not wake again.
        nextTick = (now / ListenerThread.tick &+ 1) &* ListenerThread.tick
        transport.tend()
        transport.enterAgainIfLost(table)
    }
}
