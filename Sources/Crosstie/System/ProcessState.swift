internal import CPlatform
internal import Glibc
import Synchronization

/// The state that exists once in a process: the handle tables, the list of thread slots, the fork count.
///
/// It is in zeroed C storage and every field is valid when zero, so that nothing needs to be set up and reading it
/// costs no initialization check.
package struct ProcessState: ~Copyable {
    package let buses: HandleTable
    package let registrations: HandleTable
    package let requests: HandleTable
    package let wormholes: HandleTable
    package let listeners: HandleTable
    package let loops: HandleTable
    /// The number of forks between this process and the one that loaded the library.
    package let forkCount: Atomic<UInt32>
    /// Address of the newest thread slot.
    package let threadSlots: Atomic<UInt>
    /// The way in which readers and writers order their memory: see ``ReadSide``.
    package let barrier: Atomic<UInt32>
    /// Whether the fork handlers and the thread-exit key are in place: see ``prepare()``.
    package let isPrepared: Atomic<Bool>
    package let threadExitKey: Atomic<UInt32>
    /// The number of threads that fork: see ``LibraryThread/beginFork()``.
    let forking: Atomic<UInt32>
    /// Address of the process's mutex.
    private let mutex: Atomic<UInt>
    /// Address of the newest batch of free request blocks: see ``RequestBlock/takeBatch(_:)``. Only with the mutex.
    let blockBatches: Atomic<UInt>
    /// Address of the newest slot of ``HeldFiles``. Only with the mutex.
    let heldFiles: Atomic<UInt>
    private let apart = CacheLine()
    /// When barriers have been paid for: see ``ReadSide/barrier()``.
    package let barriersPaid: Atomic<UInt64>

    @inline(__always)
    package static var current: UnsafeMutablePointer<ProcessState> {
        // The storage is larger than this struct (a test checks it) and lives for ever.
        cp_globals().assumingMemoryBound(to: ProcessState.self)
    }

    /// Guards the tables' free lists and the lists of this struct. Held for moments only, and across `fork`.
    package static var lock: Lock {
        if let raw = UnsafeMutablePointer<pthread_mutex_t>(bitPattern: current.pointee.mutex.load(ordering: .acquiring))
        {
            return Lock(raw)
        }
        let fresh = Lock()
        let (won, winner) = current.pointee.mutex.compareExchange(
            expected: 0, desired: UInt(bitPattern: fresh.raw), ordering: .acquiringAndReleasing)
        if won { return fresh }
        fresh.free()
        return UnsafeMutablePointer(bitPattern: winner).map(Lock.init) ?? fresh
    }

    /// Puts the fork handlers and the thread-exit key in place, once.
    package static func prepare() {
        guard !current.pointee.isPrepared.load(ordering: .acquiring) else { return }
        lock.with {
            guard !current.pointee.isPrepared.load(ordering: .relaxed) else { return }
            var key = pthread_key_t()
            pthread_key_create(&key) { ThreadSlot.threadDidExit($0) }
            current.pointee.threadExitKey.store(key, ordering: .relaxed)
            pthread_atfork({ ProcessState.willFork() }, { ProcessState.didForkParent() }, { ProcessState.didFork() })
            ReadSide.choose()
            current.pointee.isPrepared.store(true, ordering: .releasing)
        }
    }

    private static func willFork() {
        LibraryThread.beginFork()
        lock.lock()
    }

    private static func didForkParent() {
        lock.unlock()
        LibraryThread.endFork()
    }

    /// In the child, which has the forking thread alone.
    private static func didFork() {
        lock.reset()
        current.pointee.forkCount.add(1, ordering: .relaxed)
        current.pointee.forking.store(0, ordering: .relaxed)
        ThreadSlot.didFork()
        HeldFiles.didFork()
        ReadSide.choose()
    }
}
