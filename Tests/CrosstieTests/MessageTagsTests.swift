import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Tags and scheduled messages as they are stored: every byte may be wrong.
@Suite struct MessageTagsTests {
    private let headers: [(name: [UInt8], value: [UInt8])] = [
        (Array("correlation".utf8), Array("42".utf8)), (Array("empty".utf8), []),
    ]

    private func tagged(expiry: Int64 = 0) throws -> [UInt8] {
        try #require(MessageTags.encoded(headers, expiry: expiry)) + [0xC3]
    }

    private func stateRecord(_ payload: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: StateRecord.size(name: 0, payload: payload.count))
        bytes.withUnsafeMutableBytes { room in
            let name = UnsafeRawBufferPointer(start: nil, count: 0)
            let kind = TaggedKind.byte(.value, isTagged: true)
            StateRecord.write(kind, Stamp(sequence: 9), name: name, into: room).copyBytes(from: payload)
        }
        return bytes
    }

    @Test func nothingTakesNothing() {
        #expect(MessageTags.encoded([], expiry: 0) == nil)
    }

    @Test func tagsComeBack() throws {
        try stateRecord(try tagged(expiry: .max)).withUnsafeBytes { bytes in
            let record = try #require(StateRecord(bytes))
            let message = Message(record, under: bytes)
            #expect(message.status == .ok && message.value == .bool(true) && !record.hasExpired)
            #expect(message.headers == ["correlation": "42", "empty": ""] && message.expires == .max)
            #expect(message.header("correlation") == "42" && message.header("c") == nil)
        }
    }

    @Test func everyFlippedBitIsReadWithoutHarm() throws {
        let good = stateRecord(try tagged(expiry: .max))
        for position in 0..<good.count * 8 {
            var bad = good
            bad[position / 8] ^= 1 << UInt8(position % 8)
            bad.withUnsafeBytes { bytes in
                guard let record = StateRecord(bytes) else { return }
                _ = record.hasExpired
                let message = Message(record, under: record.name)
                #expect(message.headers.count <= 2)
            }
        }
    }

    @Test func cutTagsAreRefused() throws {
        let whole = try tagged()
        for size in 0..<whole.count - 1 {
            whole[..<size].withUnsafeBytes { #expect(MessageTags(before: $0) == nil) }
        }
    }

    @Test func headersThatAreNoneAreDamage() throws {
        for (place, byte) in [(2, 3), (2, 1), (2, 255), (12, 255), (15, 0xFF)] as [(Int, UInt8)] {
            var payload = try tagged()
            payload[place] = byte
            try stateRecord(payload).withUnsafeBytes { bytes in
                let message = Message(try #require(StateRecord(bytes)), under: bytes)
                #expect(message.status == .corruptData && message.headers.isEmpty && message.value == nil)
            }
        }
    }

    // MARK: What waits

    private func scheduled(_ key: ScheduleKey) throws -> [UInt8] {
        let head = try tagged()
        return try Array("jobs".utf8).withUnsafeBytes { identifier in
            let change = Change(.value, try #require(Identifier(identifier)), head: head, isTagged: true)
            let sender = Sender(pid: 7, name: Array("me".utf8))
            var bytes = [UInt8](repeating: 0, count: ScheduledMessage.size(change, name: 2))
            bytes.withUnsafeMutableBytes { ScheduledMessage.write(change, due: key.due, sender, into: $0) }
            return bytes
        }
    }

    @Test func scheduledMessageComesBack() throws {
        let key = ScheduleKey(due: 5, number: 3)
        #expect(key.bytes.withUnsafeBytes { ScheduleKey($0) } == key)
        try scheduled(key).withUnsafeBytes { bytes in
            let message = try #require(ScheduledMessage(bytes, under: key))
            #expect(Array(message.identifier) == Array("jobs".utf8) && message.name == Array("me".utf8))
            let shown = Wormhole.Scheduled(message)
            #expect(shown.size == 1 && shown.senderPID == 7 && shown.headers.count == 2 && shown.notBefore == 5)
            #expect(message.change?.isTagged == true)
            #expect(ScheduledMessage(bytes, under: ScheduleKey(due: 6, number: 3)) == nil)
        }
    }

    @Test func scheduledRecordsMayBeAnything() throws {
        let key = ScheduleKey(due: 5, number: 3)
        let good = try scheduled(key)
        for position in 0..<good.count * 8 {
            var bad = good
            bad[position / 8] ^= 1 << UInt8(position % 8)
            bad.withUnsafeBytes { bytes in
                guard let message = ScheduledMessage(bytes, under: key) else { return }
                _ = Wormhole.Scheduled(message)
                #expect(message.change != nil)
            }
        }
        for size in 0..<ScheduledMessage.headerSize {
            good[..<size].withUnsafeBytes { #expect(ScheduledMessage($0, under: key) == nil) }
        }
    }
}
