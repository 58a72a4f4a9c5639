/// Writes a value that holds no foreign one as JSON text.
struct JSONWriter: ~Copyable {
    private var out = ByteWriter()
    private let pretty: Bool
    private var level = 0

    init(pretty: Bool) { self.pretty = pretty }

    consuming func finish() throws(CrosstieError) -> ValueRef { try out.finishString() }

    mutating func write(_ value: ValueRef) throws(CrosstieError) {
        switch value.kind {
        case .null: try out.append("null")
        case .bool: try out.append(value.boolValue == true ? "true" : "false" as StaticString)
        case .int: try out.append(String(value.intValue ?? 0))
        case .double: try write(double: value.doubleValue ?? 0)
        case .string: try write(text: value.contentBytes)
        case .list: try write(list: value)
        case .map: try write(map: value)
        case .bytes, .foreign: throw CrosstieError(.wrongType, "a \(value.kind) value has no JSON form")
        }
    }

    /// The shortest text that reads back as the same double.
    private mutating func write(double: Double) throws(CrosstieError) {
        guard double.isFinite else { throw CrosstieError(.wrongType, "\(double) has no JSON form") }
        try out.append(double.description)
    }

    private mutating func write(list: ValueRef) throws(CrosstieError) {
        try out.append(UInt8(ascii: "["))
        level &+= 1
        for (index, item) in list.items.enumerated() {
            try separate(isFirst: index == 0)
            do throws(CrosstieError) {
                try write(item)
            } catch {
                throw error.under(index: index)
            }
        }
        try close(UInt8(ascii: "]"), isEmpty: list.cellCount == 0)
    }

    private mutating func write(map: ValueRef) throws(CrosstieError) {
        try out.append(UInt8(ascii: "{"))
        level &+= 1
        for (index, entry) in map.entries.enumerated() {
            let key = map.key(of: entry)
            try separate(isFirst: index == 0)
            try write(text: key)
            try out.append(pretty ? ": " : ":" as StaticString)
            do throws(CrosstieError) {
                try write(entry.value)
            } catch {
                throw error.under(key: key)
            }
        }
        try close(UInt8(ascii: "}"), isEmpty: map.cellCount == 0)
    }

    private mutating func separate(isFirst: Bool) throws(CrosstieError) {
        if !isFirst { try out.append(UInt8(ascii: ",")) }
        try breakLine()
    }

    private mutating func close(_ bracket: UInt8, isEmpty: Bool) throws(CrosstieError) {
        level &-= 1
        if !isEmpty { try breakLine() }
        try out.append(bracket)
    }

    private mutating func breakLine() throws(CrosstieError) {
        guard pretty else { return }
        try out.append(UInt8(ascii: "\n"))
        for _ in 0..<level { try out.append("  " as StaticString) }
    }

    /// Copies runs of plain bytes, and escapes only what JSON demands.
    private mutating func write(text: UnsafeRawBufferPointer) throws(CrosstieError) {
        try out.append(UInt8(ascii: "\""))
        var runStart = 0
        for offset in 0..<text.count {
            let byte = text[offset]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            try out.append(UnsafeRawBufferPointer(rebasing: text[runStart..<offset]))
            try escape(byte)
            runStart = offset &+ 1
        }
        try out.append(UnsafeRawBufferPointer(rebasing: text[runStart...]))
        try out.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) throws(CrosstieError) {
        switch byte {
        case UInt8(ascii: "\n"): try out.append("\\n" as StaticString)
        case UInt8(ascii: "\r"): try out.append("\\r" as StaticString)
        case UInt8(ascii: "\t"): try out.append("\\t" as StaticString)
        case 0..<0x20:
            try out.append("\\u00" as StaticString)
            try out.append(hexDigit(byte >> 4))
            try out.append(hexDigit(byte & 15))
        default:
            try out.append(UInt8(ascii: "\\"))
            try out.append(byte)
        }
    }

    private func hexDigit(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 &+ digit : 0x57 &+ digit }
}
