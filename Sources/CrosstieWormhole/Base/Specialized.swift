// Generic helpers of the core whose bodies other modules do not see: the compiler does not serialize `package`
// functions, `@inlinable` or not. Called there they would stay generic (80 instructions for each lock). These ones are
// specialized, and hide those of the core.

extension Lock {
    /// Runs `body` with the lock held.
    @inline(__always)
    func with<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

extension Array where Element == UInt8 {
    /// `withUnsafeBytes` that lets typed errors through.
    @inline(__always)
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let outcome: Swift.Result<Result, CrosstieError> = withUnsafeBytes { bytes in
            do throws(CrosstieError) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
