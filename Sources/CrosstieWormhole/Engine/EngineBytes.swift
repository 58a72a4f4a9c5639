internal import CCrosstie

/// Bytes and texts of an engine, whose sizes may be any number.
enum EngineBytes {
    /// The largest size of anything.
    static var maximumSize: Int { 65 << 20 }

    /// Nil for bytes that cannot be.
    static func bytes(_ given: ctie_bytes) -> UnsafeRawBufferPointer? {
        guard given.size >= 0, given.size <= maximumSize, given.data != nil || given.size == 0 else { return nil }
        return UnsafeRawBufferPointer(start: given.data, count: given.size)
    }

    /// Nil for a text that cannot be.
    static func text(_ given: ctie_str) -> UnsafeRawBufferPointer? {
        bytes(ctie_bytes(data: UnsafeRawPointer(given.data), size: given.size))
    }

    /// The same as a string; nil for one that is not UTF-8, or longer than it may be.
    static func string(_ given: ctie_str, limit: Int) -> String? {
        guard let bytes = text(given), bytes.count <= limit, isUTF8(bytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The most bytes of a text for people.
    static var longestLine: Int { 1000 }

    /// A text for people: cut, on one line, and in UTF-8. Empty for one that cannot be.
    static func line(_ given: ctie_str) -> String {
        guard let bytes = text(given) else { return "" }
        let shown = bytes.prefix(longestLine).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Text for the engine, borrowed.
    static func lend(_ bytes: UnsafeRawBufferPointer) -> ctie_str {
        ctie_str(data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), size: bytes.count)
    }

    /// Bytes for the engine, borrowed; NULL for none.
    static func lend(value: UnsafeRawBufferPointer) -> ctie_bytes {
        ctie_bytes(data: value.isEmpty ? nil : value.baseAddress, size: value.count)
    }
}

extension CrosstieError {
    /// The error of an engine that gives impossible data.
    @inline(never)
    static func ofEngine(_ message: StaticString) -> CrosstieError {
        CrosstieError(.corruptData, "the engine \(message)")
    }
}
