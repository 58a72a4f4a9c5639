/// The parameters of a request one by one, as its map has them, without that map.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// One parameter. The name, the text and the value live until the visit returns.
    package enum Parameter {
        case text(Text)
        case value(ValueRef)
    }

    package typealias ParameterVisit = (_ name: Text, Parameter) -> Bool

    /// Visits the entries of the map that ``makeParameterMap()`` makes, in its order, until a visit returns false. For a
    /// request without a URL these are the caller's arguments.
    ///
    /// - Throws: *limitExceeded*, *outOfMemory*.
    package func visitParameters(_ visit: ParameterVisit) throws(CrosstieError) {
        guard pointee.kind.hasURL else { return plainParams.visitEntries(visit) }
        // A rule has types and defaults of its own.
        guard pointee.rule == nil, let captures = readableCaptures else { return try visitMap(visit) }
        if !pointee.parts.flags.contains(.query) {
            _ = try visitCaptures(captures, visit)
        } else if try !visitTexts(captures, visit) {
            try visitMap(visit)
        }
    }

    /// The number of captures; nil where a text is not UTF-8.
    private var readableCaptures: Int? {
        let count = pointee.pattern.map { min($0.nameCount, Int(pointee.captureCount)) } ?? 0
        for position in 0..<count where !isUTF8(pointee.parts.text(captures[position])) { return nil }
        return count
    }

    @inline(never)
    private func visitMap(_ visit: ParameterVisit) throws(CrosstieError) {
        let map = try makeParameterMap()
        defer { map.release() }
        map.visitEntries(visit)
    }

    /// Visits the texts of the path and the query. False, before the first visit, where the map's entries are not those texts:
    /// for a name that occurs twice, and for text that is not UTF-8.
    @inline(never)
    private func visitTexts(_ captures: Int, _ visit: ParameterVisit) throws(CrosstieError) -> Bool {
        var pairs = Query(of: pointee.parts)
        var count = 0
        while pairs.next() != nil { count += 1 }
        let outcome: Result<Bool, CrosstieError> = withUnsafeTemporaryAllocation(
            of: BorrowedPair.self, capacity: count
        ) { room in
            guard let texts = BorrowedPairs(of: self, captures, in: room) else { return .success(false) }
            do throws(CrosstieError) {
                if try visitCaptures(captures, visit) { texts.visit(visit) }
                return .success(true)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// False when a visit has returned false.
    @inline(__always)
    private func visitCaptures(_ count: Int, _ visit: ParameterVisit) throws(CrosstieError) -> Bool {
        guard let pattern = pointee.pattern else { return true }
        for position in 0..<count {
            let (name, text) = (pattern.name(position), pointee.parts.text(captures[position]))
            let type = pattern.type(position)
            let goesOn = try type == .string ? visit(name, .text(text)) : visitTyped(name, text, type, visit)
            guard goesOn else { return false }
        }
        return true
    }

    @inline(never)
    private func visitTyped(
        _ name: Text, _ text: Text, _ type: ParameterType, _ visit: ParameterVisit
    ) throws(CrosstieError) -> Bool {
        guard let typed = type.value(of: text) else { return visit(name, .text(text)) }
        let value = try typed.makeRef()
        defer { value.release() }
        return visit(name, .init(of: value))
    }
}

private struct BorrowedPair: BitwiseCopyable {
    let name: UnsafeRawBufferPointer
    let text: UnsafeRawBufferPointer
}

/// The pairs of a URL's query.
private struct BorrowedPairs {
    private let all: UnsafeMutableBufferPointer<BorrowedPair>

    /// Nil where a name occurs twice or is one of the captures', or anything is not UTF-8.
    init?(of block: RequestBlock.Pointer, _ captures: Int, in room: UnsafeMutableBufferPointer<BorrowedPair>) {
        let parts = block.pointee.parts
        var pairs = Query(of: parts)
        var count = 0
        while count < room.count, let pair = pairs.next() {
            let (name, text) = (parts.text(pair.key), parts.text(pair.value))
            guard isUTF8(name), isUTF8(text) else { return nil }
            if let position = block.pointee.pattern?.position(of: name), position < captures { return nil }
            room.initializeElement(at: count, to: BorrowedPair(name: name, text: text))
            count += 1
        }
        all = UnsafeMutableBufferPointer(rebasing: room[..<count])
        guard count < MapLayout.smallestTabled ? hasDistinctFewNames : hasDistinctManyNames else { return nil }
    }

    private var hasDistinctFewNames: Bool {
        for index in 0..<all.count {
            for earlier in 0..<index where equalBytes(all[earlier].name, all[index].name) { return false }
        }
        return true
    }

    private var hasDistinctManyNames: Bool {
        let capacity = MapLayout(count: all.count).capacity
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: capacity) { room in
            guard let slots = room.baseAddress else { return false }
            let table = MapTable(slots: slots, capacity: capacity)
            table.clear()
            for index in 0..<all.count {
                let slot = table.slot(of: all[index].name) { all[$0].name }
                guard slot.isFree else { return false }
                table.set(slot, to: UInt32(truncatingIfNeeded: index))
            }
            return true
        }
    }

    func visit(_ visit: RequestBlock.Pointer.ParameterVisit) {
        for pair in all { guard visit(pair.name, .text(pair.text)) else { return } }
    }
}

extension ValueRef {
    /// Visits the entries of a map in their order; none of anything else.
    fileprivate func visitEntries(_ visit: RequestBlock.Pointer.ParameterVisit) {
        guard isCell, kind == .map else { return }
        for entry in entries { guard visit(key(of: entry), .init(of: entry.value)) else { return } }
    }
}

extension UnsafeMutablePointer<RequestBlock>.Parameter {
    fileprivate init(of value: ValueRef) {
        self = value.stringBytes.map { .text($0) } ?? .value(value)
    }
}
