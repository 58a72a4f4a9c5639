/// The counts by which a listener knows how much it has missed.
struct QueueAccount {
    /// The amount that had been queued for the topic where the listener began.
    var begin: UInt64 = 0
    /// The number of messages it has collected since, or that were reported as missed.
    var collected: UInt64 = 0
    /// The last destroying before which it has counted everything; see ``StoreMeta/purged``.
    var purged: UInt64 = 0
    /// The number of times that the member had registered its interests then.
    var entry = 0

    /// The number of lost messages among those queued for the topic, when this many are still to be collected.
    func missing(of logged: UInt64, kept: UInt64) -> UInt64 {
        let (queued, known) = (logged &- begin, collected &+ kept)
        // Where records are damaged there may be fewer than are known.
        return queued > known && queued < 1 << 62 ? queued &- known : 0
    }
}
