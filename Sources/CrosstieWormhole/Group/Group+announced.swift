internal import CPlatform
import Synchronization

/// A writer announces what it has committed: it notes in the bells what has changed, and rings.
extension Group {
    /// The number up to which the bells know what has changed. Read before the state of the store that it shall be
    /// compared with.
    var announced: UInt64 { wakeups.lastSequence.pointee.load(ordering: .acquiring) }

    /// Up to which number listeners shall look, of those that are committed. Whoever is about to announce more rings
    /// then. Nobody is waited for twice, since who writes may be stopped.
    ///
    /// - Parameter awaited: up to where this listener's thread looked when it last waited.
    func reached(_ newest: UInt64, awaited: inout UInt64) -> UInt64 {
        // Another process may have written what only the host's transport has.
        if announced >= newest || hostMembers != nil { return newest }
        for _ in 0..<32 {
            cp_relax()
            if announced >= newest { return newest }
        }
        let isWriterAlive = wakeups.isAnnouncing
        let known = max(announced, abandoned.load(ordering: .acquiring))
        guard known < newest else { return newest }
        if isWriterAlive, awaited != known {
            awaited = known
            return known
        }
        _ = abandoned.max(newest, ordering: .releasing)
        return newest
    }

    /// Notes that the bells lack what came before this, for listeners that they have not known until now.
    func beginTrail() { wakeups.beginTrail(with: ((try? sequence()) ?? announced) &+ 1) }

    /// Whether everything up to a number is in the bells, or will be rung for.
    func isAwaited(_ newest: UInt64, announced: UInt64) -> Bool {
        announced >= newest || hostMembers == nil && announced >= abandoned.load(ordering: .acquiring)
    }
}
