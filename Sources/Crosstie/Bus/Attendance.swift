internal import CPlatform
import Synchronization

/// Sources of work from other processes, which an idle worker of a dispatcher watches while it has nothing to do.
/// One worker does at a time.
package protocol Attendance: AnyObject, Sendable {
    /// Begins to watch. False if another worker does, or there is nothing to watch.
    func begin() -> Bool

    /// Whether there is a reason not to sleep, after ``begin()``: work has arrived, or a peer has ended.
    var hasNews: Bool { get }

    /// Sleeps until work may have arrived, the word is no longer zero, or the deadline. False at the deadline.
    func sleep(on word: UnsafeRawPointer, until deadline: UInt64) -> Bool

    /// Submits the work that has arrived, and ends what ``begin()`` began. False if there was none.
    func receive() -> Bool
}

extension BusRecord {
    /// Has idle workers of a dispatcher attend to these sources from now on; nil: to none.
    ///
    /// - Throws: *notFound* for a dispatcher that the bus does not have; *invalidHandle*.
    package static func setAttendance(
        _ handle: Handle, dispatcher: String, _ attendance: (any Attendance)?
    ) throws(CrosstieError) {
        let (bus, index) = try withState(handle) { bus, state throws(CrosstieError) in
            (bus, try state.dispatcher(dispatcher))
        }
        Dispatchers.withPool(index, of: bus, handle, else: ()) { pool in
            pool.pointee.lock.with { pool.pointee.attendance = attendance }
        }
    }
}

extension UnsafeMutablePointer where Pointee == WorkerPool {
    /// With the lock held: waits for work of the queue, or from elsewhere. Nil if another worker attends; false when
    /// nothing came for a long while.
    ///
    /// The worker counts as one that looks for work while it submits what has arrived, so that it need not wake another
    /// one: it takes the first of it itself.
    func waitForWork(_ slot: UnsafeMutablePointer<ThreadSlot>, with attendance: any Attendance) -> Bool? {
        pointee.idlers.spinning += 1
        pointee.lock.unlock()
        guard attendance.begin() else {
            pointee.lock.lock()
            pointee.idlers.spinning -= 1
            return nil
        }
        for _ in 0..<spins where pointee.pending.load(ordering: .relaxed) == 0 && !attendance.hasNews { cp_relax() }
        pointee.lock.lock()
        var goesOn = true
        if pointee.queue.count == 0, !pointee.isStopping, !attendance.hasNews {
            pointee.idlers.spinning -= 1
            pointee.idlers.add(slot)
            pointee.lock.unlock()
            let isInTime = LibraryThread.rest {
                attendance.sleep(on: slot.word, until: Clock.now() &+ idleNanoseconds)
            }
            pointee.lock.lock()
            goesOn = pointee.idlers.leave(slot) || isInTime
            pointee.idlers.spinning += 1
        }
        pointee.lock.unlock()
        let hasReceived = attendance.receive()
        pointee.lock.lock()
        pointee.idlers.spinning -= 1
        return goesOn || hasReceived || pointee.queue.count > 0
    }
}
