// Between the Swift form of values and the one that crosses the C interface.

extension Value {
    /// The Swift form of a value, which stays its owner's.
    package init(borrowing ref: ValueRef) {
        switch ref.kind {
        case .null: self = .null
        case .bool: self = .bool(ref.boolValue ?? false)
        case .int: self = .int(ref.intValue ?? 0)
        case .double: self = .double(ref.doubleValue ?? 0)
        case .string: self = .string(String(decoding: ref.contentBytes, as: UTF8.self))
        case .bytes: self = .bytes(Array(ref.contentBytes))
        case .list: self = .list(ref.items.map { Value(borrowing: $0) })
        case .map: self = .map(ValueMap(borrowing: ref))
        case .foreign: self = .foreign(ForeignObject(borrowing: ref))
        }
    }

    /// The same value for the C interface; the caller owns it.
    ///
    /// - Throws: `limit`, `noMemory`.
    package func makeRef() throws(CrosstieError) -> ValueRef {
        var stack = ValueStack()
        return try build(&stack, level: 0)
    }

    private func build(_ stack: inout ValueStack, level: Int) throws(CrosstieError) -> ValueRef {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return try .int(value)
        case .double(let value): return try .double(value)
        case .string(let value): return try .string(value)
        case .bytes(let value): return try value.withRawBytes { bytes throws(CrosstieError) in try .bytes(bytes) }
        case .list(let items): return try Self.build(items, &stack, level: level &+ 1)
        case .map(let map): return try Self.build(map, &stack, level: level &+ 1)
        case .foreign(let object): return object.ref.retained()
        }
    }

    private static func build(
        _ items: [Value], _ stack: inout ValueStack, level: Int
    ) throws(CrosstieError) -> ValueRef {
        try check(level: level)
        let base = stack.count
        for item in items { try stack.push(try item.build(&stack, level: level), key: .empty) }
        return try stack.popList(from: base)
    }

    /// The keys are put beside each other first, for a Swift string has no address that lasts.
    private static func build(
        _ map: ValueMap, _ stack: inout ValueStack, level: Int
    ) throws(CrosstieError) -> ValueRef {
        try check(level: level)
        let base = stack.count
        var keys: [UInt8] = []
        for (key, value) in map {
            try stack.push(try value.build(&stack, level: level), key: .empty)
            keys.append(contentsOf: key.utf8)
        }
        return try keys.withRawBytes { bytes throws(CrosstieError) in
            var start = 0
            for (index, entry) in map.enumerated() {
                let end = start &+ entry.key.utf8.count
                stack.setKey(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: base &+ index)
                start = end
            }
            return try stack.popMap(from: base)
        }
    }

    /// Before going in, so that no value is too deep for the thread's stack.
    private static func check(level: Int) throws(CrosstieError) {
        guard level <= ValueRef.maxDepth else { throw .tooDeep }
    }
}

extension ValueMap {
    fileprivate init(borrowing ref: ValueRef) {
        self.init()
        for entry in ref.entries {
            self[String(decoding: ref.key(of: entry), as: UTF8.self)] = Value(borrowing: entry.value)
        }
    }
}

extension Array where Element == UInt8 {
    /// Lends the bytes to `body`, and keeps the type of its error, which the standard library's form loses.
    func withRawBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        try withUnsafeBytes { bytes in
            Swift.Result { () throws(CrosstieError) in try body(bytes) }
        }.get()
    }
}
