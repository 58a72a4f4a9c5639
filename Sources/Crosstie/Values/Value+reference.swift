// Between the Swift form of values and the one that crosses the C interface.

extension Value {
    /// The Swift form of a value, which stays its owner's.
    package init(borrowing ref: ValueRef) {
        if SizeWalk.isWorth(for: ref) {
            var known: [UInt: Value] = [:]
            self = ref.shared(&known)
        } else {
            self = ref.swift { Value(borrowing: $0) }
        }
    }

    /// The same value for the C interface; the caller owns it.
    ///
    /// - Throws: `limitExceeded`, `outOfMemory`.
    package func makeRef() throws(CrosstieError) -> ValueRef {
        var builder = ValueBuilder()
        return try builder.build(self, level: 0)
    }
}

extension ValueRef {
    /// The Swift form, with parts as `part` gives them.
    @inline(__always)
    fileprivate func swift(_ part: (ValueRef) -> Value) -> Value {
        switch kind {
        case .null: .null
        case .bool: .bool(boolValue ?? false)
        case .int: .int(intValue ?? 0)
        case .double: .double(doubleValue ?? 0)
        case .string: .string(String(decoding: contentBytes, as: UTF8.self))
        case .bytes: .bytes(Array(contentBytes))
        case .list: .list(items.map { part($0) })
        case .map: .map(ValueMap(entries.map { (String(decoding: key(of: $0), as: UTF8.self), part($0.value)) }))
        case .foreign: .foreign(ForeignObject(borrowing: self))
        }
    }

    /// The Swift form, which shares the same parts.
    fileprivate func shared(_ known: inout [UInt: Value]) -> Value {
        if isShared, let value = known[bits] { return value }
        let value = swift { $0.shared(&known) }
        if isShared { known[bits] = value }
        return value
    }
}

/// Makes values for the C interface of Swift's. In a large value shared parts are made once.
private struct ValueBuilder: ~Copyable {
    private var stack = ValueStack()
    private var visited = 0
    /// The Swift forms of lists and maps, by the addresses of their items.
    private var known: [UnsafeRawPointer: ValueRef] = [:]

    private static var small: Int { 1 << 16 }

    init() {}

    deinit { for ref in known.values { ref.release() } }

    mutating func build(_ value: Value, level: Int) throws(CrosstieError) -> ValueRef {
        visited &+= 1
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return try .int(value)
        case .double(let value): return try .double(value)
        case .string(let value): return try .string(value)
        case .bytes(let value): return try value.withRawBytes { bytes throws(CrosstieError) in try .bytes(bytes) }
        case .list(let items):
            let address = items.withUnsafeBytes { $0.baseAddress }
            if let made = made(at: address) { return made }
            return note(try build(items, level: level &+ 1), at: address)
        case .map(let map):
            let address = map.address
            if let made = made(at: address) { return made }
            return note(try build(map, level: level &+ 1), at: address)
        case .foreign(let object): return object.ref.retained()
        }
    }

    private func made(at address: UnsafeRawPointer?) -> ValueRef? {
        guard visited > ValueBuilder.small, let address else { return nil }
        return known[address]?.retained()
    }

    private mutating func note(_ ref: ValueRef, at address: UnsafeRawPointer?) -> ValueRef {
        guard visited > ValueBuilder.small, let address, ref.cellCount > 0 else { return ref }
        known[address] = ref.retained()
        return ref
    }

    private mutating func build(_ items: [Value], level: Int) throws(CrosstieError) -> ValueRef {
        try ValueBuilder.check(level: level)
        let base = stack.count
        for item in items { try stack.push(try build(item, level: level), key: .empty) }
        return try stack.popList(from: base)
    }

    /// The keys are put beside each other first, for a Swift string has no address that lasts.
    private mutating func build(_ map: ValueMap, level: Int) throws(CrosstieError) -> ValueRef {
        try ValueBuilder.check(level: level)
        let base = stack.count
        var keys: [UInt8] = []
        for (key, value) in map {
            try stack.push(try build(value, level: level), key: .empty)
            keys.append(contentsOf: key.utf8)
        }
        var start = 0
        guard let room = Memory.allocate(keys.count) else { throw .outOfMemory }
        defer { Memory.free(room) }
        let bytes = UnsafeMutableRawBufferPointer(start: room, count: keys.count)
        bytes.copyBytes(from: keys)
        for (index, entry) in map.enumerated() {
            let end = start &+ entry.key.utf8.count
            stack.setKey(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: base &+ index)
            start = end
        }
        return try stack.popMap(from: base)
    }

    /// Before going in, so that no value is too deep for the thread's stack.
    private static func check(level: Int) throws(CrosstieError) {
        guard level <= ValueRef.maxDepth else { throw .tooDeep }
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
