internal import CPlatform
import Synchronization

/// Announcing a commit: the writer notes the changes in the wakeups, and notifies the listeners.
extension Group {
    /// The number up to which the wakeups know the changes. Read before the state of the store that it is compared
    /// with.
    var announced: UInt64 { wakeups.lastSequence.pointee.load(ordering: .acquiring) }

    /// The number of the committed change up to which listeners look now. A writer that is about to announce more
    /// notifies them then. The thread waits only once for each writer, because that may be stopped.
    ///
    /// - Parameter awaited: the number up to which this listener's thread looked when it last waited.
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

    /// Notes that the wakeups lack the changes before this one, for listeners that they have not known until now.
    func beginPrefixNotes() { wakeups.beginPrefixNotes(with: ((try? sequence()) ?? announced) &+ 1) }

    /// Whether all changes up to a number are in the wakeups, or a writer is about to announce them.
    func isAwaited(_ newest: UInt64, announced: UInt64) -> Bool {
        announced >= newest || hostMembers == nil && announced >= abandoned.load(ordering: .acquiring)
    }
}
