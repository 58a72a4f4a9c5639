/// What is to be done after a look at a record.
enum ScanStep {
    case next
    /// Remove it, and go on. In a transaction that writes.
    case remove
    case stop
}
