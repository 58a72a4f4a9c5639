/// The next step after looking at a record.
enum ScanStep {
    case next
    /// Remove it, and go on. In a transaction that writes.
    case remove
    case stop
}
