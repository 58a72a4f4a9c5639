/// The copy of a dead letter. It owns what its change borrows.
final class ForwardedDeadLetter {
    let change: Change
    let sender: Sender
    private let text: UnsafeMutableRawBufferPointer

    /// Nil for a message that destroyed an identifier, or that has no identifier to be forwarded under.
    init?(_ record: LogRecord, _ letter: DeadLetterRecord, _ key: CursorKey, _ options: DurableOptions) {
        guard !record.identifier.isEmpty, record.kind != .destroyed,
            let identifier = options.deadLetter(of: record.identifier)
        else { return nil }
        text = .allocate(byteCount: identifier.count, alignment: 1)
        text.copyBytes(from: identifier)
        // A full name must not keep the other one from getting on.
        sender = Sender(pid: record.stamp.pid, name: Array(record.name), keepsLimits: false)
        let tags = ForwardedDeadLetter.tags(record, letter, key)
        guard let copied = Identifier(UnsafeRawBufferPointer(text)) else {
            change = Change(.destroyed, nil)
            return nil
        }
        change = Change(record.kind, copied, head: tags + Array(record.payload), isTagged: !tags.isEmpty)
    }

    deinit { text.deallocate() }

    /// The message's own headers, and as many of the dead letter's as there is room for.
    private static func tags(_ record: LogRecord, _ letter: DeadLetterRecord, _ key: CursorKey) -> [UInt8] {
        var headers: [(name: [UInt8], value: [UInt8])] = []
        if let own = MessageTags(record.tags) {
            for index in 0..<own.count {
                guard let pair = own[index] else { break }
                headers.append((Array(pair.name), Array(pair.value)))
            }
        }
        let added: [(String, [UInt8])] = [
            ("dead_reason", letter.reason), ("dead_name", Array(key.name)),
            ("dead_deliveries", digits(letter.deliveries)),
            ("dead_identifier", Array(record.identifier)), ("dead_sequence", digits(letter.sequence)),
        ]
        // Of one that has been a dead letter before, the last death counts.
        headers.removeAll { header in added.contains { header.name == Array($0.0.utf8) } }
        var size = headers.reduce(0) { $0 + $1.name.count + $1.value.count }
        for (name, value) in added {
            let name = Array(name.utf8)
            guard headers.count < MessageTags.maximumCount,
                size + name.count + value.count <= MessageTags.maximumSize
            else { continue }
            headers.append((name, value))
            size += name.count + value.count
        }
        return MessageTags.encoded(headers, expiry: 0) ?? []
    }

    private static func digits(_ number: some BinaryInteger) -> [UInt8] { Array(String(UInt64(number)).utf8) }
}
