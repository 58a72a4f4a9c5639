import Synchronization

/// Telling who watches it that somebody has come or gone.
extension Bells {
    /// Watchers listen to this hash: that of a byte which no identifier holds.
    static var presenceHash: UInt64 {
        var hash = IdentifierHash()
        hash.add(0)
        return hash.value
    }

    @inline(__always)
    var presenceVersion: UnsafeMutablePointer<Atomic<UInt64>> { word(BellsLayout.presenceVersionOffset) }

    /// After the change.
    func tellOfPresence() {
        presenceVersion.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
        wake(ring(mask(Bells.bucketOffset(Bells.presenceHash))))
    }
}
