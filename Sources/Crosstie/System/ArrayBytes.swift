extension Array where Element == UInt8 {
    /// `withUnsafeBytes` that lets typed errors through.
    @_disfavoredOverload
    package func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let outcome: Swift.Result<Result, CrosstieError> = withUnsafeBytes { bytes in
            do throws(CrosstieError) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
