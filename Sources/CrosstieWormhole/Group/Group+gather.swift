/// Room in one piece. LMDB puts a large value into pages that follow each other, and small messages between large ones leave
/// no such pages free, however many there are in all. Then the store is copied, with all that is free behind what is used.
extension Group {
    /// Makes changes that have found no room, if there is enough of it in pieces.
    @inline(never)
    func writeGathering(
        _ changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64, after failure: CrosstieError
    ) throws(CrosstieError) -> Receipt {
        try gatheringRoom(for: changes, from: sender, timeout: timeout, after: failure) { left throws(CrosstieError) in
            try writeSeldom(changes, from: sender, timeout: left)
        }
    }

    /// Runs `write` again, which has found no room for changes, once there is room in one piece. It gets the nanoseconds
    /// that are left.
    func gatheringRoom(
        for changes: UnsafeBufferPointer<Change>, from sender: Sender, timeout: UInt64, after failure: CrosstieError,
        _ write: (UInt64) throws(CrosstieError) -> Receipt
    ) throws(CrosstieError) -> Receipt {
        let end = Clock.now() &+ timeout
        var (failure, copies) = (failure, 3)
        while true {
            guard let store = store as? LMDBStore, let size = room(for: changes, sender), store.hasPages(for: size),
                copies > 0, Clock.now() < end, failure.status == .noSpace || isBeingCopied
            else { throw failure }
            guard let isGathered = gatherPages(until: end) else { throw failure }
            if isGathered { copies -= 1 }
            do throws(CrosstieError) {
                return try write(remaining(until: end))
            } catch {
                guard error.isForRoom else { throw error }
                failure = error
            }
        }
    }

    /// Copying the store takes so long that other processes may find no room because of this reader.
    private var isBeingCopied: Bool {
        guard case .directory(let directory) = location else { return false }
        return StoreBuilder.isInUse(in: directory.value)
    }

    /// Puts all that is free into one piece. False if another thread does it, for which this waits a while; nil if it cannot be
    /// done.
    private func gatherPages(until end: UInt64) -> Bool? {
        do throws(CrosstieError) {
            _ = try compact(timeout: remaining(until: end), keepsSize: true)
            return true
        } catch {
            guard error.status == .busy else { return nil }
            Clock.sleep(nanoseconds: 5_000_000)
            return false
        }
    }
}
