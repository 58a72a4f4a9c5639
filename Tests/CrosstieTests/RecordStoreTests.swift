import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// A store beside a model of it, which is a dictionary.
private struct Modelled {
    let store: any RecordStore
    var model: [[UInt8]: [UInt8]] = [:]
    var random: SplitMix

    /// Few keys, so that they meet; of several lengths, so that one is the beginning of another.
    mutating func key() -> [UInt8] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) &* 85 }
    }

    /// A transaction of some changes, looked at in between, which is committed or dropped.
    mutating func step() throws {
        var transaction = try store.writing()
        var draft = model
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            try change(transaction.records, &draft)
            try check(transaction.records, draft)
        }
        guard Int.random(in: 0..<4, using: &random) > 0 else { return }
        try transaction.commit()
        model = draft
    }

    private mutating func change(_ records: any RecordTransaction, _ draft: inout [[UInt8]: [UInt8]]) throws {
        let key = key()
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<11:
            let bytes = key + Array(repeating: 7, count: Int.random(in: 0...40, using: &random))
            let room = try key.withBytes { key throws(CrosstieError) in
                try records.reserve(key, size: bytes.count, isLast: false)
            }
            room.copyBytes(from: bytes)
            draft[key] = bytes
        case 11..<18:
            try key.withBytes { key throws(CrosstieError) in try records.remove(key) }
            draft[key] = nil
        case 18:
            try removeSome(records, from: key, &draft)
        default:
            try records.removeEverything()
            draft = [:]
        }
    }

    /// Every other record from a key on, and no more than five.
    private func removeSome(
        _ records: any RecordTransaction, from start: [UInt8], _ draft: inout [[UInt8]: [UInt8]]
    ) throws {
        var count = 0
        var removed: [[UInt8]] = []
        try start.withBytes { start throws(CrosstieError) in
            try records.scan(from: start) { key, _ throws(CrosstieError) in
                count += 1
                if count > 10 { return .stop }
                guard count % 2 == 0 else { return .next }
                removed.append(Array(key))
                return .remove
            }
        }
        for key in removed { draft[key] = nil }
    }

    mutating func check(_ records: any RecordTransaction, _ draft: [[UInt8]: [UInt8]]) throws {
        let start = key()
        #expect(try RecordStoreTests.scan(records, from: start) == RecordStoreTests.sorted(draft, from: start))
        let found = try start.withBytes { key throws(CrosstieError) in try records.get(key).map { Array($0) } }
        #expect(found == draft[start])
        #expect(try records.last().map { Array($0.key) } == RecordStoreTests.sorted(draft, from: []).last?.key)
    }
}

@Suite("Stores of records")
struct RecordStoreTests {
    struct Pair: Equatable {
        let key: [UInt8]
        let record: [UInt8]
    }

    static func sorted(_ model: [[UInt8]: [UInt8]], from start: [UInt8]) -> [Pair] {
        model.map { Pair(key: $0.key, record: $0.value) }.filter { !$0.key.lexicographicallyPrecedes(start) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    static func scan(_ records: any RecordTransaction, from start: [UInt8]) throws -> [Pair] {
        var found: [Pair] = []
        try start.withBytes { start throws(CrosstieError) in
            try records.scan(from: start) { key, record throws(CrosstieError) in
                found.append(Pair(key: Array(key), record: Array(record)))
                return .next
            }
        }
        return found
    }

    private func play(_ store: any RecordStore, seed: UInt64, steps: Int) throws {
        var modelled = Modelled(store: store, random: SplitMix(state: seed))
        for number in 1...steps {
            let before = modelled.model
            let snapshot = try store.reading()
            let state = snapshot.number
            try modelled.step()
            if !(store is HostStore) {
                // The reader sees the state in which it began.
                #expect(snapshot.number == state)
                #expect(try Self.scan(snapshot.records, from: []) == Self.sorted(before, from: []), "step \(number)")
            }
            let now = try store.reading()
            #expect(try Self.scan(now.records, from: []) == Self.sorted(modelled.model, from: []), "step \(number)")
        }
    }

    @Test("Memory does what a dictionary does", arguments: [1, 2, 3, 4, 5])
    func memory(seed: UInt64) throws {
        let store = MemoryStore(maximumSize: 1 << 20)
        defer { store.close() }
        try play(store, seed: seed, steps: 150)
    }

    @Test("A transport does what a dictionary does", arguments: [1, 2, 3, 4, 5])
    func host(seed: UInt64) throws {
        let host = FakeHost()
        let store = HostStore(host.transport())
        try play(store, seed: seed, steps: 60)
        store.close()
        #expect(host.destroyCount == 1)
    }

    @Test("Many records take many chunks, whatever their order", arguments: [0, 1, 2])
    func chunks(order: Int) throws {
        var map = RecordMap()
        var numbers = Array(UInt16(0)..<5000)
        var random = SplitMix(state: 9)
        if order == 1 { numbers.reverse() } else if order == 2 { numbers.shuffle(using: &random) }
        for number in numbers { map.put(try Self.record(number)) }
        let whole = map
        #expect(Self.numbers(map) == Array(0..<5000))
        #expect(map.footprint == 5000 * (4 + MemoryRecord.overhead))
        for number in numbers where number % 3 != 0 { Self.bytes(number).withUnsafeBytes { map.remove($0) } }
        #expect(Self.numbers(map) == (0..<5000).filter { $0 % 3 == 0 })
        for number in numbers { Self.bytes(number).withUnsafeBytes { map.remove($0) } }
        #expect(map.isEmpty && map.footprint == 0)
        // The copy has kept what was shared.
        #expect(Self.numbers(whole) == Array(0..<5000))
    }

    @Test("A full store says so, and has room again for less")
    func full() throws {
        let store = MemoryStore(maximumSize: 4096)
        defer { store.close() }
        #expect(throws: CrosstieError.self) { try store.requireRoom(for: 4096) }
        try store.requireRoom(for: 3000)
        var transaction = try store.writing()
        _ = try Self.bytes(1).withBytes { key throws(CrosstieError) in
            try transaction.records.reserve(key, size: 3000, isLast: false)
        }
        try transaction.commit()
        #expect(throws: CrosstieError.self) { try store.requireRoom(for: 3000) }
        transaction = try store.writing()
        try transaction.records.removeEverything()
        try transaction.commit()
        try store.requireRoom(for: 3000)
    }

    private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    private static func record(_ number: UInt16) throws(CrosstieError) -> MemoryRecord {
        try bytes(number).withBytes { key throws(CrosstieError) in try MemoryRecord(key, key) }
    }

    private static func numbers(_ map: RecordMap) -> [UInt16] {
        var found: [UInt16] = []
        map.forEach { found.append(UInt16($0.bytes[0]) << 8 | UInt16($0.bytes[1])) }
        return found
    }
}
