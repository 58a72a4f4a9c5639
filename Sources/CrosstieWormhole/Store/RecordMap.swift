/// Records in the order of their keys.
///
/// They are in chunks, which a copy shares with the original until one of the two is changed: then the list of chunks
/// and one chunk are copied. No tree is as simple, and the log, which grows at the end, never moves a record.
struct RecordMap {
    /// None is empty.
    private var chunks: [[MemoryRecord]] = []
    /// The bytes of all records.
    private(set) var footprint = 0

    private static var capacity: Int { 256 }

    /// The position of a record.
    struct Position: Equatable {
        var chunk: Int
        var offset: Int
    }

    var isEmpty: Bool { chunks.isEmpty }

    var last: MemoryRecord? { chunks.last?.last }

    /// The last record for which something holds.
    func last(where holds: (MemoryRecord) -> Bool) -> MemoryRecord? {
        for chunk in chunks.reversed() {
            if let found = chunk.last(where: holds) { return found }
        }
        return nil
    }

    // MARK: Finding

    /// The position of the first record whose key is not before `key`.
    func position(notBefore key: UnsafeRawBufferPointer) -> Position {
        let chunk = RecordMap.firstIndex(below: chunks.count) { index in
            chunks[index].last.map { !KeyOrder.isBefore($0.key, key) } ?? false
        }
        guard chunk < chunks.count else { return Position(chunk: chunk, offset: 0) }
        let records = chunks[chunk]
        let offset = RecordMap.firstIndex(below: records.count) { !KeyOrder.isBefore(records[$0].key, key) }
        return Position(chunk: chunk, offset: offset)
    }

    /// The record at a position; nil at the end.
    func record(at position: Position) -> MemoryRecord? {
        guard position.chunk < chunks.count, position.offset < chunks[position.chunk].count else { return nil }
        return chunks[position.chunk][position.offset]
    }

    func record(_ key: UnsafeRawBufferPointer) -> MemoryRecord? {
        let found = record(at: position(notBefore: key))
        return found.flatMap { KeyOrder.compare($0.key, key) == 0 ? $0 : nil }
    }

    /// The position after another.
    func position(after position: Position) -> Position {
        guard position.chunk < chunks.count else { return position }
        let isLast = position.offset + 1 >= chunks[position.chunk].count
        return isLast
            ? Position(chunk: position.chunk + 1, offset: 0)
            : Position(chunk: position.chunk, offset: position.offset + 1)
    }

    func forEach(_ body: (MemoryRecord) -> Void) {
        for chunk in chunks { chunk.forEach(body) }
    }

    // MARK: Changing

    /// Puts a record in the position of its key, and replaces one with the same key.
    mutating func put(_ record: MemoryRecord) {
        footprint += record.footprint
        let position = position(notBefore: record.key)
        guard position.chunk < chunks.count else { return append(record) }
        let found = chunks[position.chunk][position.offset]
        if KeyOrder.compare(found.key, record.key) == 0 {
            footprint -= found.footprint
            chunks[position.chunk][position.offset] = record
        } else {
            chunks[position.chunk].insert(record, at: position.offset)
            if chunks[position.chunk].count > RecordMap.capacity { split(position.chunk) }
        }
    }

    /// Removes the record at a position, where the next one is then.
    mutating func remove(at position: Position) -> Position {
        guard let record = record(at: position) else { return position }
        footprint -= record.footprint
        chunks[position.chunk].remove(at: position.offset)
        if chunks[position.chunk].isEmpty {
            chunks.remove(at: position.chunk)
        } else if position.offset == chunks[position.chunk].count {
            return Position(chunk: position.chunk + 1, offset: 0)
        }
        return position
    }

    mutating func remove(_ key: UnsafeRawBufferPointer) {
        let position = position(notBefore: key)
        guard let found = record(at: position), KeyOrder.compare(found.key, key) == 0 else { return }
        _ = remove(at: position)
    }

    private mutating func append(_ record: MemoryRecord) {
        if let last = chunks.indices.last, chunks[last].count < RecordMap.capacity {
            chunks[last].append(record)
        } else {
            chunks.append([record])
        }
    }

    private mutating func split(_ index: Int) {
        let middle = chunks[index].count / 2
        let upper = Array(chunks[index][middle...])
        chunks[index].removeSubrange(middle...)
        chunks.insert(upper, at: index + 1)
    }

    /// The first index below `count` for which `isPast`, which never turns false again, is true; `count` if none.
    private static func firstIndex(below count: Int, _ isPast: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isPast(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
