internal import Glibc
import Synchronization

/// The thread that finds out who of a wormhole's listeners is concerned, and tells those that are called on it.
final class ListenerThread {
    let group: Group
    let table: ListenerTable
    private let slot: Int
    private let isStopping = Atomic(false)
    private let whenOver: () -> Void
    private var thread = pthread_t()
    /// The hash of what a listener was told of last, in the last round; nil when nothing was to be told.
    var lastTold: UInt64?
    private var nextTick: UInt64 = 0

    private static var tick: UInt64 { 1_000_000_000 }

    /// - Parameter whenOver: runs on the thread as its last act.
    init(group: Group, slot: Int, table: ListenerTable, whenOver: @escaping () -> Void) {
        self.group = group
        self.slot = slot
        self.table = table
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
        while !shallStop {
            // Read before looking into the store: what rings meanwhile makes the sleep below no sleep.
            let watch = group.bells.writerWatch
            let bell = group.bells.bell(slot).pointee.load(ordering: .sequentiallyConsistent)
            deliver()
            if shallStop { return }
            let isRung = lastTold.map { group.bells.ringsSoon(slot: slot, bell: bell, hash: $0) } ?? false
            let wakeTime = table.putBackWhoseTimeHasCome()
            if !isRung { group.bells.sleep(slot: slot, bell: bell, watch: watch, until: wakeTime) }
            tickIfDue()
        }
    }

    /// Once a second: frees what dead processes hold.
    private func tickIfDue() {
        let now = Clock.now()
        guard now >= nextTick else { return }
        nextTick = now &+ ListenerThread.tick
        group.store.clearDeadReaders()
        guard (try? group.lockWriters(timeout: 0)) != nil else { return }
        group.bells.reapSlots(own: group.ownSlots)
        group.unlockWriters()
    }
}
