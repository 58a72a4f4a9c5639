import Synchronization

/// The owners and progress calls of an asynchronous request, and the claim to its completion, which runs once: after the
/// last owner has left the request, and after the last progress call.
///
/// An owner is a worker that has the request queued or in hand. The last owner of a request that has ended sees to the
/// completion; without owners the thread that ends the request does. A progress call that is still running puts the
/// completion off, and then sees to it.
package struct CompletionOwnership: ~Copyable, Sendable {
    private let owners = Atomic<UInt32>(0)
    /// Threads, or items of the request's loop, that are delivering progress.
    private let inFlightProgress = Atomic<UInt32>(0)
    private let isTaken = Atomic<Bool>(false)

    /// Prepares a request for its first worker.
    @inline(__always)
    func start() {
        owners.store(1, ordering: .relaxed)
        isTaken.store(false, ordering: .relaxed)
    }

    // MARK: - Owners

    func addOwner() { owners.add(1, ordering: .sequentiallyConsistent) }

    /// Returns true for the last owner.
    @inline(__always)
    func removeOwner() -> Bool { owners.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 }

    @inline(__always)
    var hasOwner: Bool { owners.load(ordering: .sequentiallyConsistent) != 0 }

    // MARK: - Progress

    /// Prepares a request whose progress somebody follows.
    func resetProgress() { inFlightProgress.store(0, ordering: .relaxed) }

    func startProgress() { inFlightProgress.add(1, ordering: .sequentiallyConsistent) }

    /// Returns true for the last progress call that was running.
    func endProgress() -> Bool { inFlightProgress.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 }

    @inline(__always)
    var hasProgressInFlight: Bool { inFlightProgress.load(ordering: .sequentiallyConsistent) != 0 }

    // MARK: - The claim

    /// Claims the completion callback. Returns true for one thread alone.
    @inline(__always)
    func claim() -> Bool { !isTaken.exchange(true, ordering: .sequentiallyConsistent) }

    /// Gives up a claim, so that another thread can claim.
    func giveUpClaim() { isTaken.store(false, ordering: .sequentiallyConsistent) }

    @inline(__always)
    var isClaimed: Bool { isTaken.load(ordering: .acquiring) }
}
