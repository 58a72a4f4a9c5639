import Synchronization

/// Telling who watches it that somebody has come or gone.
extension Wakeups {
    /// Watchers listen to this hash: that of a byte which no identifier holds.
    static var presenceHash: UInt64 {
        var hash = IdentifierHash()
        hash.add(0)
        return hash.value
    }

    @inline(__always)
    var presenceVersion: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.presenceVersionOffset) }

    /// After the change.
    func notifyPresence() {
        presenceVersion.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        wake(notify(mask(Wakeups.bucketOffset(Wakeups.presenceHash))))
    }
}
