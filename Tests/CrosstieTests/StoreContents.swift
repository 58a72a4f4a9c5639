@testable import Crosstie
@testable import CrosstieWormhole

/// The records of a store, taken out so that a test can put them back with one of them damaged.
struct StoreContents {
    struct Record {
        let key: [UInt8]
        var bytes: [UInt8]
    }

    var records: [Record] = []

    init(of store: any RecordStore) throws {
        var found: [Record] = []
        try [0].withBytes { first throws(CrosstieError) in
            // Named, so that the transaction lasts as long as the scan.
            let snapshot = try store.reading()
            try snapshot.records.scan(from: first) { key, bytes in
                found.append(Record(key: Array(key), bytes: Array(bytes)))
                return .next
            }
        }
        records = found
    }

    /// The index of the first record of a type; nil if there is none.
    func index(of type: UInt8) -> Int? { records.firstIndex { $0.key.first == type } }

    /// These records with other bytes in one of them.
    func with(_ bytes: [UInt8], at index: Int) -> StoreContents {
        var copy = self
        copy.records[index].bytes = bytes
        return copy
    }

    /// Replaces all records of a group by these, as if the writer had died before announcing them.
    func put(into group: Group) throws {
        try group.lockWriters(timeout: 5_000_000_000)
        defer { group.unlockWriters() }
        var transaction = try group.store.writing()
        try transaction.records.removeEverything()
        for record in records {
            try record.key.withBytes { key throws(CrosstieError) in
                try transaction.records.reserve(key, size: record.bytes.count, isLast: false)
                    .copyBytes(from: record.bytes)
            }
        }
        try transaction.commit()
        group.wakeups.lastTransaction.pointee.store(0, ordering: .releasing)
        group.wakeups.countInterestChange()
    }
}

extension [UInt8] {
    /// Everything that one wrong bit makes of these bytes, and everything that is left when they are cut.
    var damaged: [[UInt8]] {
        let cut = indices.map { Array(self[..<$0]) }
        let flipped = (0..<count * 8).map { bit in
            var copy = self
            copy[bit / 8] ^= 1 << UInt8(bit % 8)
            return copy
        }
        return cut + flipped
    }
}
