/// The group's counts, one record of the store. Passing a message changes none of them.
struct StoreMeta {
    /// The last signal's number: who has heard it need not look for signals.
    var lastSignal: UInt64 = 0
    /// When everything was last destroyed.
    var destroyedAll = Stamp()
    /// The newest *destroyed* record that was dropped for age.
    var forgotten: UInt64 = 0
    /// How many *destroyed* records there are.
    var tombstones: UInt32 = 0

    static var format: UInt32 { 1 }
    static var size: Int { 48 }
    /// Destroyed records kept for listeners that are slow to hear of them.
    static var maximumTombstones: UInt32 { 1024 }

    init() {}

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) throws(CrosstieError) {
        guard bytes.count >= StoreMeta.size else { throw CrosstieError(.corrupt, "the store's counts are damaged") }
        let format = bytes.loadUnaligned(as: UInt32.self)
        guard format <= StoreMeta.format else {
            throw CrosstieError(.version, "the store was written by a newer version of the library (format \(format))")
        }
        tombstones = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        lastSignal = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        destroyedAll.sequence = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        destroyedAll.time = bytes.loadUnaligned(fromByteOffset: 24, as: Int64.self)
        destroyedAll.pid = bytes.loadUnaligned(fromByteOffset: 32, as: Int32.self)
        forgotten = bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
    }

    @inline(__always)
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= StoreMeta.size else { return }
        base.storeBytes(of: StoreMeta.format, as: UInt32.self)
        base.storeBytes(of: tombstones, toByteOffset: 4, as: UInt32.self)
        base.storeBytes(of: lastSignal, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: destroyedAll.sequence, toByteOffset: 16, as: UInt64.self)
        base.storeBytes(of: destroyedAll.time, toByteOffset: 24, as: Int64.self)
        base.storeBytes(of: destroyedAll.pid, toByteOffset: 32, as: Int32.self)
        base.storeBytes(of: UInt32(0), toByteOffset: 36, as: UInt32.self)
        base.storeBytes(of: forgotten, toByteOffset: 40, as: UInt64.self)
    }
}
