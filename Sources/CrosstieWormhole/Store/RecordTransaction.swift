/// A transaction of a store. The bytes that it returns are valid until it ends, or, if it writes, until its next
/// change.
protocol RecordTransaction: AnyObject {
    /// The number of the state that is read, or of the one that is being written. Each commit adds one, and the
    /// first makes number 1.
    var number: UInt64 { get }

    /// The bytes under a key; nil if there are none.
    func get(_ key: UnsafeRawBufferPointer) throws(CrosstieError) -> UnsafeRawBufferPointer?

    /// Makes room under a key, to be filled before anything else is done.
    /// - Parameter isLast: the key comes after every other.
    func reserve(
        _ key: UnsafeRawBufferPointer, size: Int, isLast: Bool
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer

    /// Removes the record under a key, if there is one.
    func remove(_ key: UnsafeRawBufferPointer) throws(CrosstieError)

    func removeEverything() throws(CrosstieError)

    /// Shows `body` each key that is not before `start`, in their order, until it says to stop.
    func scan(from start: UnsafeRawBufferPointer, _ body: Scan) throws(CrosstieError)

    /// The last record of all.
    func last() throws(CrosstieError) -> (key: UnsafeRawBufferPointer, record: UnsafeRawBufferPointer)?

    /// Frees pages that large records have left for others, until there are so many. Returns how many.
    func dropFreeExtents(pages: UInt64) throws(CrosstieError) -> UInt64

    /// Commits the transaction, which has ended also if this fails.
    func commit() throws(CrosstieError)

    /// Ends it, and drops uncommitted changes. Called once, and not after ``commit()``.
    func end()

    typealias Scan = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CrosstieError) -> ScanStep
}

extension RecordTransaction {
    func dropFreeExtents(pages: UInt64) throws(CrosstieError) -> UInt64 { 0 }
}
