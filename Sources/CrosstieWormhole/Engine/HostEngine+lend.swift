internal import CCrosstie

/// Calls about durable consumers.
extension HostEngine {
    /// Lends the texts of a durable consumer.
    @inline(__always)
    func lend(
        _ key: CursorKey, _ body: (_ topic: ctie_str, _ name: ctie_str) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        let size = key.name.count
        try key.bytes.withBytes { bytes throws(CrosstieError) in
            let name = UnsafeRawBufferPointer(rebasing: bytes[..<size])
            let topic = UnsafeRawBufferPointer(rebasing: bytes[(size + 1)...])
            try body(EngineBytes.lend(topic), EngineBytes.lend(name))
        }
    }

    /// True for success, false for *not found*.
    @inline(never)
    func isFound(_ name: StaticString, _ answer: ctie_status?) throws(CrosstieError) -> Bool {
        do throws(CrosstieError) {
            try end(name, answer)
            return true
        } catch {
            guard error.status == .notFound else { throw error }
            return false
        }
    }
}
