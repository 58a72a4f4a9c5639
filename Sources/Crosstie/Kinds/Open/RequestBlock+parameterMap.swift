/// The parameters of a request as a map value, made of the URL's text without a step between.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The same as ``convertedParameters``; owned. Only for a request with a URL.
    ///
    /// - Throws: *limitExceeded*, *outOfMemory*.
    package func makeParameterMap() throws(CrosstieError) -> ValueRef {
        // A rule has types and defaults of its own.
        if pointee.rule == nil, let map = try plainParameterMap() { return map }
        return try Value.map(convertedParameters).makeRef()
    }

    /// Nil for a URL in which a name occurs twice.
    private func plainParameterMap() throws(CrosstieError) -> ValueRef? {
        let captures = pointee.pattern.map { min($0.nameCount, Int(pointee.captureCount)) } ?? 0
        var pairs = Query(of: pointee.parts)
        var count = captures
        while pairs.next() != nil { count += 1 }
        let outcome: Result<ValueRef?, CrosstieError> = withUnsafeTemporaryAllocation(
            of: MapItem.self, capacity: count
        ) { room in
            var items = ParameterItems(room)
            do throws(CrosstieError) {
                try items.addCaptures(of: self, captures)
                try items.addQuery(of: self)
                return .success(try items.makeMap())
            } catch {
                items.release()
                return error.status == .duplicateKey ? .success(nil) : .failure(error)
            }
        }
        return try outcome.get()
    }
}

/// The entries of such a map while they are collected. The values are owned until the map takes them.
private struct ParameterItems {
    private let room: UnsafeMutableBufferPointer<MapItem>
    private var count = 0

    init(_ room: UnsafeMutableBufferPointer<MapItem>) { self.room = room }

    mutating func addCaptures(of block: RequestBlock.Pointer, _ count: Int) throws(CrosstieError) {
        for position in 0..<count {
            guard let (name, text) = block.pathParameter(at: position) else { return }
            let type = block.pointee.pattern?.type(position) ?? .string
            add(name, try type == .string ? ValueRef.string(repairing: text) : type.makeValue(of: text))
        }
    }

    mutating func addQuery(of block: RequestBlock.Pointer) throws(CrosstieError) {
        var pairs = Query(of: block.pointee.parts)
        while let pair = pairs.next() {
            let (key, text) = (block.pointee.parts.text(pair.key), block.pointee.parts.text(pair.value))
            // Keys that differ may be the same once they are repaired.
            guard isUTF8(key) else { throw CrosstieError(.duplicateKey, "") }
            add(key, try ValueRef.string(repairing: text))
        }
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, _ value: ValueRef) {
        guard count < room.count else { return value.release() }
        room.initializeElement(at: count, to: MapItem(key: name, value: value))
        count += 1
    }

    /// - Throws: *duplicateKey*; the values are still owned then.
    mutating func makeMap() throws(CrosstieError) -> ValueRef {
        let map = try ValueRef.map(taking: UnsafeBufferPointer(rebasing: room[..<count]))
        count = 0
        return map
    }

    mutating func release() {
        for item in room[..<count] { item.value.release() }
        count = 0
    }
}

extension ParameterType {
    /// The value of a parameter of this type; its text for a text that is beyond what a value holds.
    fileprivate func makeValue(of text: UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef {
        guard let value = value(of: text) else { return try ValueRef.string(repairing: text) }
        return try value.makeRef()
    }
}

extension ValueRef {
    /// A copy of bytes as text, in which U+FFFD replaces whatever is not UTF-8.
    fileprivate static func string(repairing text: UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef {
        isUTF8(text) ? try string(validated: text) : try string(String(decoding: text, as: UTF8.self))
    }
}
