/// A kind of record, for descriptions and for checks. Records that a newer library has added, and that are not in the
/// table, are kept byte for byte.
struct RecordKind: Sendable {
    typealias Bytes = UnsafeRawBufferPointer

    let type: UInt8
    let name: String
    /// The fields of a key, after its type, and of a record, of which every byte may be wrong; nil for malformed ones.
    let describe: @Sendable (_ key: Bytes, _ record: Bytes) -> [(String, Value)]?

    /// The kind of a record by its whole key; nil for one that is not known.
    static func of(_ key: Bytes) -> RecordKind? {
        guard let type = key.first else { return nil }
        return all.first { $0.type == type }
    }

    /// The name of a record's kind, also of one that is not known.
    static func name(of key: Bytes) -> String {
        guard let type = key.first else { return "none" }
        return all.first { $0.type == type }?.name ?? "0x" + String(type, radix: 16)
    }

    /// The fields of a record by its whole key; nil for a damaged record, empty for an unknown kind.
    static func fields(_ key: Bytes, _ record: Bytes) -> [(String, Value)]? {
        guard let kind = of(key) else { return key.isEmpty ? nil : [] }
        return kind.describe(Bytes(rebasing: key.dropFirst()), record)
    }

    /// A key for people, without the type: a number, text, or hexadecimal digits.
    static func location(_ key: Bytes) -> String {
        let rest = Bytes(rebasing: key.dropFirst())
        switch key.first {
        case StoreKey.log, StoreKey.tombstone:
            if let sequence = StoreKey.sequence(key) { return String(sequence) }
        case StoreKey.current, StoreKey.signal, StoreKey.interest, StoreKey.cursor, StoreKey.declared:
            if rest.allSatisfy({ (0x21..<0x7f).contains($0) || $0 == 0 }) {
                return String(decoding: rest.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
            }
        default: break
        }
        return rest.prefix(40).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Value {
    /// A number; its digits if a value's integers cannot hold it.
    static func number(_ number: UInt64) -> Value {
        Int64(exactly: number).map(Value.int) ?? .string(String(number))
    }

    static func text(_ bytes: UnsafeRawBufferPointer) -> Value { .string(String(decoding: bytes, as: UTF8.self)) }

    /// The value with a text in place of everything that has no form in JSON.
    var readable: Value {
        switch self {
        case .bytes(let bytes): ["base64": .string(bytes.withUnsafeBytes { Base64.encode($0) })]
        case .double(let number) where !number.isFinite: .string("\(number)")
        case .list(let items): .list(items.map(\.readable))
        // JSON's keys hold no NUL.
        case .map(let map) where map.keys.contains { $0.utf8.contains(0) }: .null
        case .map(let map): .map(ValueMap(map.map { ($0.key, $0.value.readable) }))
        case .foreign: .null
        default: self
        }
    }

    /// An encoded value, in a form for people; nil for bytes that are none.
    static func decoded(_ payload: UnsafeRawBufferPointer) -> Value? {
        guard let content = try? MessagePack.decode(payload) else { return nil }
        defer { content.release() }
        return Value(borrowing: content).readable
    }
}
