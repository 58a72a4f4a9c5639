/// JSON to values and back. Jansson reads; the writer is our own, because Jansson 2.14 writes 0.1 as
/// 0.10000000000000001 and would want a second tree.
package enum JSON {
    /// Reads a JSON text.
    ///
    /// - Throws: `invalidFormat`, `invalidUTF8`, `duplicateKey` or `limitExceeded` with line and column; `outOfMemory`.
    package static func decode(_ text: UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef {
        let tree = try JSONTree(text)
        return try tree.value()
    }

    /// Writes a value, its foreign ones materialized, as an owned string value.
    ///
    /// - Throws: `wrongType` or `foreignValue` with the path of a value without a JSON form; `limitExceeded`; `outOfMemory`.
    package static func encode(_ value: ValueRef, pretty: Bool = false) throws(CrosstieError) -> ValueRef {
        let plain = try value.materialized()
        defer { plain.release() }
        guard !SizeWalk.isWorth(for: plain) || leastSize(of: plain) <= ValueRef.maxSize else {
            throw CrosstieError(.limitExceeded, "the text is over \(ValueRef.maxSize) bytes")
        }
        var writer = JSONWriter(pretty: pretty)
        do throws(CrosstieError) {
            try writer.write(plain)
        } catch {
            throw error.underRoot()
        }
        return try writer.finish()
    }

    /// The text has no fewer bytes than that: brackets and commas, quotes and texts as they are.
    private static func leastSize(of value: ValueRef) -> Int {
        var walk = SizeWalk(
            own: { value in
                switch value.kind {
                case .null, .bool: 4
                case .string: value.cellCount &+ 2
                case .list, .map: 2 &+ max(value.cellCount &- 1, 0)
                default: 1
                }
            }, entry: { Int($0.keySize) &+ 3 })
        return walk.size(of: value)
    }
}
