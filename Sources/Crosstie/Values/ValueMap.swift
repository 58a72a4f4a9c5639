/// Values under strings, each once, in the order of insertion.
///
/// Keys are the same when their UTF-8 is. Two maps are equal when they hold the same, whatever the order.
public struct ValueMap: Sendable {
    private var entries: [(key: String, value: Value)] = []
    private var indexOfKey: [Key: Int] = [:]

    public init() {}

    /// A map of pairs. For a repeated key, the last value counts.
    public init(_ pairs: some Sequence<(String, Value)>) {
        for (key, value) in pairs { self[key] = value }
    }

    /// The value under `key`. Setting nil removes it; a new key comes last.
    public subscript(key: String) -> Value? {
        get { indexOfKey[Key(key)].map { entries[$0].value } }
        set {
            switch (indexOfKey[Key(key)], newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): remove(at: index)
            case (nil, let value?):
                indexOfKey[Key(key)] = entries.count
                entries.append((key, value))
            case (nil, nil): break
            }
        }
    }

    private mutating func remove(at index: Int) {
        indexOfKey[Key(entries.remove(at: index).key)] = nil
        for later in entries[index...].indices { indexOfKey[Key(entries[later].key)] = later }
    }

    /// Where the entries lie: the same for copies, as long as none of them is changed. Nil for none.
    var address: UnsafeRawPointer? { entries.withUnsafeBytes { $0.baseAddress } }

    /// The keys in order.
    public var keys: [String] { entries.map(\.key) }

    /// A string that compares by its bytes, as keys do everywhere else.
    private struct Key: Hashable {
        let text: String

        init(_ text: String) { self.text = text }

        static func == (left: Key, right: Key) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension ValueMap: RandomAccessCollection {
    public var startIndex: Int { entries.startIndex }
    public var endIndex: Int { entries.endIndex }
    public subscript(position: Int) -> (key: String, value: Value) { entries[position] }
}

extension ValueMap: Hashable {
    public static func == (left: ValueMap, right: ValueMap) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        var mixed = 0
        for (key, value) in entries {
            var entry = Hasher()
            entry.combine(Key(key))
            entry.combine(value)
            mixed ^= entry.finalize()
        }
        hasher.combine(mixed)
    }
}
