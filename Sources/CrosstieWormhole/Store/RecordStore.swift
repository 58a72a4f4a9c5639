/// A store of a group's messages: records, that is bytes under keys, ordered by key.
///
/// One thread writes at a time, with the writers' lock of the wakeups; any number of threads read meanwhile.
protocol RecordStore: AnyObject {
    /// Begins a transaction that reads one state of the store, whatever is written meanwhile. A thread has one
    /// transaction at a time.
    func beginReading() throws(CrosstieError) -> any RecordTransaction

    /// Begins a transaction that writes. The writers' lock is held.
    func beginWriting() throws(CrosstieError) -> any RecordTransaction

    /// Throws when a change that adds `size` bytes would leave too little room to destroy something afterwards.
    /// The writers' lock is held, and no transaction of this thread is open.
    func requireRoom(for size: Int) throws(CrosstieError)

    /// Makes room for `size` bytes more. False if there is no more to be had. The writers' lock is held, and no
    /// transaction of this thread is open.
    func grow(for size: UInt64) throws(CrosstieError) -> Bool

    /// Frees what dead readers hold of the store.
    func clearDeadReaders()

    /// The number of pages of free extents that are to be freed for a change that adds `size` bytes and has found no room.
    func pagesToDrop(for size: Int) -> UInt64

    /// The error that names the reader which keeps `size` bytes of a store with room from being used, if one does. The
    /// writers' lock is held, and no transaction of this thread is open.
    func hindrance(for size: Int) -> CrosstieError?

    /// Whether a transaction reads an older state than the newest, and keeps pages that were freed since.
    var isReadBehind: Bool { get }

    /// Under which number this process reads.
    var readerNumber: Int32 { get }

    /// Takes back the commit of a dead writer that was not announced to the readers. The writers' lock is held,
    /// and no transaction of this thread is open.
    func withdrawUnannounced()

    /// Has everything on the disk, if there is one.
    func sync() throws(CrosstieError)

    /// Closes it. No transaction is open.
    func close()
}

extension RecordStore {
    func grow(for size: UInt64) throws(CrosstieError) -> Bool { false }

    func hindrance(for size: Int) -> CrosstieError? { nil }

    func pagesToDrop(for size: Int) -> UInt64 { 0 }

    var isReadBehind: Bool { false }

    var readerNumber: Int32 { 0 }

    func withdrawUnannounced() {}
}
