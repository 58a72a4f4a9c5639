import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Records of the store may have any bytes.
@Suite struct WormholeRecordTests {
    let scratch = Scratch()

    private func record() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: StateRecord.size(name: 3, payload: 2))
        bytes.withUnsafeMutableBytes { room in
            let stamp = Stamp(sequence: 9, time: -5, pid: 77)
            Array("abc".utf8).withUnsafeBytes { name in
                StateRecord.write(1, stamp, name: name, into: room).copyBytes(from: [0xCC, 0xFF])
            }
        }
        return bytes
    }

    @Test func recordComesBack() throws {
        try record().withUnsafeBytes { bytes in
            let record = try #require(StateRecord(bytes))
            #expect(record.kind == .value && record.stamp.sequence == 9 && record.stamp.time == -5)
            #expect(record.stamp.pid == 77 && Array(record.name) == Array("abc".utf8))
            #expect(Array(record.payload) == [0xCC, 0xFF])
        }
    }

    @Test func cutRecordsAreRefused() {
        for size in 0..<StateRecord.size(name: 3, payload: 0) {
            record()[..<size].withUnsafeBytes { #expect(StateRecord($0) == nil) }
        }
    }

    @Test func everyFlippedBitIsReadWithoutHarm() {
        let good = record()
        for position in 0..<good.count * 8 {
            var bad = good
            bad[position / 8] ^= 1 << UInt8(position % 8)
            bad.withUnsafeBytes { bytes in
                guard let record = StateRecord(bytes) else { return }
                #expect(record.name.count + record.payload.count == 5)
                _ = Message(record, under: record.name)
            }
        }
    }

    @Test(arguments: [0, 4, 5, 6, 255] as [UInt8])
    func kindsThatAreNeverStored(kind: UInt8) {
        var bytes = record()
        bytes[1] = kind
        bytes.withUnsafeBytes { #expect(StateRecord($0) == nil) }
        var queued = self.queued(under: ["jobs"])
        queued[LogBlock.headerSize + 8] = kind
        #expect(messages(queued).isDamaged)
    }

    @Test func longerNamesThanThereAre() {
        var bytes = record() + [UInt8](repeating: 0x61, count: 100)
        bytes[2] = 65
        bytes.withUnsafeBytes { #expect(StateRecord($0) == nil) }
        bytes[2] = 64
        bytes.withUnsafeBytes { #expect(StateRecord($0)?.name.count == 64) }
    }

    @Test func nameThatIsNoTextIsDamage() throws {
        var bytes = record()
        bytes[StateRecord.headerSize] = 0xFF
        try bytes.withUnsafeBytes { bytes in
            let message = Message(try #require(StateRecord(bytes)), under: bytes)
            #expect(message.status == .corruptData && message.senderName.isEmpty && message.value == nil)
        }
    }

    @Test func messageWithoutIdentifierIsDamageToPrefixListeners() throws {
        try queued(under: ["jo bs"]).withUnsafeBytes { bytes in
            var reader = LogBlockReader(try #require(LogBlock(bytes, sequence: 9)))
            let next = reader.next()
            let record = try #require(next)
            let all = try #require(Array("*".utf8).withUnsafeBytes { try? Topic($0) })
            let message = Message.queued(record, for: all)
            #expect(message.status == .corruptData && message.identifier == "*" && message.sequence == 9)
        }
    }

    @Test func recordWithoutIdentifierIsNotReported() throws {
        let wormhole = try scratch.open()
        try wormhole.send("a", 1)
        var contents = try StoreContents(of: wormhole.core.group.store)
        var bytes = record()
        bytes[8] = 1
        contents.records.append(StoreContents.Record(key: [StoreKey.current] + "b c".utf8, bytes: bytes))
        try contents.put(into: wormhole.core.group)
        #expect(try wormhole.identifiers() == ["a"])
        let inbox = Inbox()
        let listener = try wormhole.listen("*") { inbox.receive($0) }
        let sent = try wormhole.send("d", 2)
        #expect(inbox.waitForSequence(sent.sequence).map(\.identifier) == ["a", "d"])
        _ = listener
    }

    @Test func everyFlippedBitOfABlockIsReadWithoutHarm() {
        let good = queued(under: ["a", "b", "a"])
        #expect(messages(good).numbers == [7, 8, 9])
        for position in 0..<good.count * 8 {
            var bad = good
            bad[position / 8] ^= 1 << UInt8(position % 8)
            let (numbers, _) = messages(bad)
            #expect(numbers == numbers.sorted() && numbers.allSatisfy { $0 <= 9 })
        }
        for size in 0..<good.count { #expect(messages(Array(good[..<size])).isDamaged) }
    }

    @Test func blocksLoseWhatIsDestroyed() throws {
        try queued(under: ["a", "b", "a"]).withUnsafeBytes { bytes in
            let block = try #require(LogBlock(bytes, sequence: 9))
            let (without, count) = try block.keeping { !$0.identifier.elementsEqual("a".utf8) }
            #expect(count == 2 && without.map { messages($0).numbers } == [8])
        }
        try queued(under: ["a"]).withUnsafeBytes { bytes in
            let block = try #require(LogBlock(bytes, sequence: 9))
            let (without, count) = try block.keeping { !$0.identifier.elementsEqual("a".utf8) }
            #expect(count == 1 && without == nil)
        }
    }

    /// A block of number 9, with nil under each identifier, of which one may be none.
    private func queued(under identifiers: [String]) -> [UInt8] {
        var bytes = [LogBlock.format, 0, UInt8(identifiers.count), 0] + [UInt8](repeating: 0, count: 28)
        for (index, identifier) in identifiers.enumerated() {
            bytes += [UInt8(identifiers.count - 1 - index), 0, 0, 0, 1, 0, 0, 0, 1, UInt8(identifier.utf8.count)]
            bytes += Array(identifier.utf8) + [0xC0]
        }
        return bytes
    }

    /// The numbers of a block's messages, as far as they can be read.
    private func messages(_ bytes: [UInt8]) -> (numbers: [UInt64], isDamaged: Bool) {
        bytes.withUnsafeBytes { bytes in
            guard let block = LogBlock(bytes, sequence: 9) else { return ([], true) }
            var reader = LogBlockReader(block)
            var numbers: [UInt64] = []
            while let record = reader.next() { numbers.append(record.stamp.sequence) }
            return (numbers, reader.isDamaged)
        }
    }

    @Test func undecodableMessageIsAnErrorAndReachesListeners() throws {
        let wormhole = try scratch.open()
        let member = wormhole.core
        let inbox = Inbox()
        let group = member.group
        _ = try group.transact(
            count: 1, timeout: member.timeout, room: 100, identifier: { _ in nil },
            listeners: { group.wakeups.everybody }
        ) { transaction, first throws(CrosstieError) in
            try Array("a".utf8).withBytes { name throws(CrosstieError) in
                let room = try transaction.reserve(StoreKey.current, name, size: StateRecord.size(name: 1, payload: 1))
                // A byte that MessagePack never uses.
                StateRecord.write(1, member.sender.stamp(first), name: name, into: room).copyBytes(from: [0xC1])
            }
        }
        #expect(status { _ = try wormhole.message("a") } == .corruptData)
        let listener = try wormhole.listen("a") { inbox.receive($0) }
        let delivered = inbox.wait(for: 1)
        #expect(
            delivered.first?.status == .corruptData && delivered.first?.value == nil && delivered.first?.sequence == 1)
        _ = listener
    }

    /// Other changes do not make it news.
    @Test(arguments: ["a", "*"], [true, false]) func unreadableRecordIsReportedOnce(topic: String, isBefore: Bool)
        throws
    {
        let wormhole = try scratch.open()
        let inbox = Inbox()
        if isBefore { try damage("a", in: wormhole) }
        let listener = try wormhole.listen(topic, initialDelivery: isBefore) { inbox.receive($0) }
        if !isBefore { try damage("a", in: wormhole) }
        for count in 1...3 {
            let delivered = inbox.waitForSequence(try wormhole.signal("a").sequence)
            #expect(delivered.count { $0.kind == .signal } == count)
            #expect(delivered.count { $0.status == .corruptData } == 1)
        }
        _ = listener
    }

    private func damage(_ identifier: String, in wormhole: Wormhole) throws {
        let member = wormhole.core
        try member.group.transact(timeout: member.timeout) { transaction, _ throws(CrosstieError) in
            try Array(identifier.utf8).withBytes { name throws(CrosstieError) in
                let room = try transaction.reserve(StoreKey.current, name, size: 3)
                room.initializeMemory(as: UInt8.self, repeating: 9)
            }
        }
    }
}

@Suite struct WormholeIdentifierTests {
    private func hash(_ text: String) -> UInt64? { Array(text.utf8).withUnsafeBytes { Identifier($0)?.hash } }

    private func topic(_ text: String) -> Topic? { Array(text.utf8).withUnsafeBytes { try? Topic($0) } }

    @Test(arguments: ["a", "0", "a-b_c", "a.-b", "A.b.C9", "a._", String(repeating: "x", count: 128)])
    func good(text: String) { #expect(hash(text) != nil && topic(text)?.isPrefix == false) }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "-a", "_a", "a b", "a/b", "../x", "a\n", "a\0", "ä", "*", "a.*"])
    func bad(text: String) { #expect(hash(text) == nil) }

    @Test func tooLong() { #expect(hash(String(repeating: "x", count: 129)) == nil) }

    @Test(arguments: ["*", "a.*", "a.b.*"])
    func prefixesOfAnIdentifier(text: String) {
        var hashes: [UInt64] = []
        Array("a.b.c".utf8).withUnsafeBytes { Identifier($0)?.forEachPrefixHash { hashes.append($0) } }
        #expect(hashes.count == 3)
        #expect(topic(text).map { $0.isPrefix && hashes.contains($0.hash) } == true)
    }

    @Test(arguments: ["**", "a*", ".*", "a..*", "*.a", "a.*.b", "-.*"])
    func badPrefixes(text: String) { #expect(topic(text) == nil) }
}
