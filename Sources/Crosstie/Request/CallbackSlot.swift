/// A slot of a bus for a single callback, apart from all patterns.
package enum CallbackSlot: String, CaseIterable {
    /// Receives the lines of the bus's log.
    case log
    /// Handles requests that nothing else takes.
    case unmatched
    /// Shows the targets of rules without a handler.
    case navigator
    /// Opens URLs in place of the system's program.
    case systemOpener = "opener"
    /// Handles requests that the performer's resolvers do not find.
    case performerFallback
    /// Forwards calls to other processes.
    case elsewhere
}
