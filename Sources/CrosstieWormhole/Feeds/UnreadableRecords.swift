/// The identifiers whose unreadable records have been reported to a listener: once is enough.
struct UnreadableRecords {
    private var delivered: Set<[UInt8]> = []

    static var maximumCount: Int { 1024 }

    mutating func note(_ message: Message) {
        guard message.status == .corruptData, delivered.count < UnreadableRecords.maximumCount else { return }
        delivered.insert(Array(message.identifierBytes))
    }

    /// Whether an unreadable record is still to be reported.
    func isNews(_ identifier: UnsafeRawBufferPointer) -> Bool {
        delivered.isEmpty || !delivered.contains(Array(identifier))
    }
}
