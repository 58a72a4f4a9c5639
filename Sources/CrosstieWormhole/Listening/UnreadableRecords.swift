/// Under which identifiers a listener has been told that a record cannot be read: once is enough.
struct UnreadableRecords {
    private var told: Set<[UInt8]> = []

    static var maximumCount: Int { 1024 }

    mutating func note(_ message: Message) {
        guard message.status == .corruptData, told.count < UnreadableRecords.maximumCount else { return }
        told.insert(Array(message.identifierBytes))
    }

    /// Whether a record that cannot be read is still to be told.
    func isNews(_ identifier: UnsafeRawBufferPointer) -> Bool { told.isEmpty || !told.contains(Array(identifier)) }
}
