/// Keys begin with a byte that says what is stored; queues, which only ever grow at their end, come last.
enum StoreKey {
    /// One record: the group's counts.
    static var meta: UInt8 { 0x00 }
    /// By identifier: the current message, or that it was destroyed.
    static var current: UInt8 { 0x10 }
    /// By identifier: the last signal.
    static var signal: UInt8 { 0x11 }
    /// By sequence, big-endian: the identifier of a *destroyed* record.
    static var tombstone: UInt8 { 0x20 }
    static var queues: UInt8 { 0xF0 }

    static var maximumSize: Int { 1 + Identifier.maximumSize }

    /// Calls `body` with the key made of a type and what follows it.
    @inline(__always)
    static func with<Result>(
        _ type: UInt8, _ rest: UnsafeRawBufferPointer,
        _ body: (UnsafeMutableRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        // Typed throws do not pass through the standard library's function, hence the detour.
        let outcome: Swift.Result<Result, CrosstieError> = withUnsafeTemporaryAllocation(
            byteCount: maximumSize, alignment: 8
        ) { buffer in
            let size = min(rest.count, Identifier.maximumSize)
            buffer[0] = type
            if let source = rest.baseAddress, let target = buffer.baseAddress {
                (target + 1).copyMemory(from: source, byteCount: size)
            }
            let key = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(1 + size)])
            do throws(CrosstieError) { return .success(try body(key)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Calls `body` with the key of a destroyed record's note.
    static func withTombstone<Result>(
        _ sequence: UInt64, _ body: (UnsafeMutableRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> UInt64(56 - 8 * $0)) }
        let outcome: Swift.Result<Result, CrosstieError> = bytes.withUnsafeBytes { rest in
            do throws(CrosstieError) {
                return .success(try with(tombstone, rest, body))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
