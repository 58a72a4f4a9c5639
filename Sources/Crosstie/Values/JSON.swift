/// JSON to values and back. Jansson reads; the writer is our own, because Jansson 2.14 writes 0.1 as
/// 0.10000000000000001 and would want a second tree.
package enum JSON {
    /// Reads a JSON text.
    ///
    /// - Throws: `format`, `utf8`, `duplicate` or `limit` with line and column; `noMemory`.
    package static func decode(_ text: UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef {
        let tree = try JSONTree(text)
        return try tree.value()
    }

    /// Writes a value, its foreign ones materialized, as an owned string value.
    ///
    /// - Throws: `type` or `foreign` with the path of what has no JSON form; `limit`; `noMemory`.
    package static func encode(_ value: ValueRef, pretty: Bool = false) throws(CrosstieError) -> ValueRef {
        let plain = try value.materialized()
        defer { plain.release() }
        var writer = JSONWriter(pretty: pretty)
        do throws(CrosstieError) {
            try writer.write(plain)
        } catch {
            throw error.underRoot()
        }
        return try writer.finish()
    }
}
