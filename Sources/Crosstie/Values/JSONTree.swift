internal import CJansson
internal import Glibc

/// A JSON text as Jansson read it.
struct JSONTree: ~Copyable {
    private typealias Node = UnsafeMutablePointer<json_t>

    private let root: Node

    init(_ text: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard text.count <= ValueRef.maxSize else {
            throw CrosstieError(.limitExceeded, "the JSON text is over \(ValueRef.maxSize) bytes")
        }
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY)
        var error = json_error_t()
        // Jansson refuses NULL even where there is nothing to read.
        let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
        errno = 0
        let parsed = start.map { json_loadb($0, text.count, flags, &error) } ?? json_loads("", flags, &error)
        // Where memory is refused Jansson goes on with part of what it read, or tells a failure without a word.
        guard errno != ENOMEM else {
            json_decref(parsed)
            throw .outOfMemory
        }
        guard let parsed else { throw CrosstieError(error, in: text) }
        root = parsed
    }

    deinit { json_decref(root) }

    func value() throws(CrosstieError) -> ValueRef {
        var stack = ValueStack()
        do throws(CrosstieError) {
            return try Self.value(of: root, &stack, level: 0)
        } catch {
            throw error.underRoot()
        }
    }

    private static func value(
        of node: Node, _ stack: inout ValueStack, level: Int
    ) throws(CrosstieError) -> ValueRef {
        switch node.pointee.type {
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        case JSON_INTEGER: return try .int(json_integer_value(node))
        case JSON_REAL: return try .double(json_real_value(node))
        case JSON_STRING:
            return try .string(
                validated: UnsafeRawBufferPointer(start: json_string_value(node), count: json_string_length(node)))
        case JSON_ARRAY: return try list(of: node, &stack, level: level &+ 1)
        case JSON_OBJECT: return try map(of: node, &stack, level: level &+ 1)
        default: return .null
        }
    }

    private static func list(
        of node: Node, _ stack: inout ValueStack, level: Int
    ) throws(CrosstieError) -> ValueRef {
        try check(level: level)
        let base = stack.count
        for index in 0..<json_array_size(node) {
            guard let item = json_array_get(node, index) else { break }
            do throws(CrosstieError) {
                try stack.push(try value(of: item, &stack, level: level), key: .empty)
            } catch {
                throw error.under(index: index)
            }
        }
        return try stack.popList(from: base)
    }

    private static func map(
        of node: Node, _ stack: inout ValueStack, level: Int
    ) throws(CrosstieError) -> ValueRef {
        try check(level: level)
        let base = stack.count
        var iterator = json_object_iter(node)
        while let at = iterator, let item = json_object_iter_value(at) {
            let key = UnsafeRawBufferPointer(start: json_object_iter_key(at), count: json_object_iter_key_len(at))
            do throws(CrosstieError) {
                try stack.push(try value(of: item, &stack, level: level), key: key)
            } catch {
                throw error.under(key: key)
            }
            iterator = json_object_iter_next(node, at)
        }
        return try stack.popMap(from: base)
    }

    private static func check(level: Int) throws(CrosstieError) {
        guard level <= ValueRef.maxDepth else { throw .tooDeep }
    }
}

extension CrosstieError {
    fileprivate init(_ error: json_error_t, in input: UnsafeRawBufferPointer) {
        var error = error
        let status: Status =
            switch json_error_code(&error) {
            case json_error_out_of_memory: .outOfMemory
            case json_error_stack_overflow: .limitExceeded
            case json_error_invalid_utf8: .invalidUTF8
            case json_error_duplicate_key: .duplicateKey
            default: .invalidFormat
            }
        let text = withUnsafeBytes(of: error.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard !text.isEmpty else {
            self = .outOfMemory
            return
        }
        let key = status == .duplicateKey ? lastString(in: input.prefix(max(Int(error.position), 0))) : nil
        let what = key.map { "the key \(Quotation.quoted($0)) occurs twice in a map" } ?? text
        self.init(status, "not valid JSON: \(what)", at: "line \(error.line), column \(error.column)")
    }
}

/// The contents, as they are written, of a string that a part of a JSON text ends with.
private func lastString(in text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
    let quote = UInt8(ascii: "\"")
    guard text.last == quote else { return nil }
    var rest = text.dropLast()
    while let start = rest.lastIndex(of: quote) {
        let escapes = rest[..<start].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
        if escapes % 2 == 0 { return text[(start + 1)...].dropLast() }
        rest = rest[..<start]
    }
    return nil
}
