import Synchronization

/// The pools of a bus by their index, of which the first is the default one. They are only added while the bus lives.
///
/// Look at them inside a read section, or while the bus cannot end.
struct Dispatchers {
    private let entries: UnsafeMutablePointer<Atomic<UInt>>

    static var maximum: Int { 64 }

    /// The index of a name that no dispatcher has.
    static var unknown: UInt8 { .max }

    init() {
        entries = .allocate(capacity: Self.maximum)
        for index in 0..<Self.maximum { (entries + index).initialize(to: Atomic(0)) }
    }

    @inline(__always)
    init?(_ address: UInt) {
        guard let entries = UnsafeMutablePointer<Atomic<UInt>>(bitPattern: address) else { return nil }
        self.entries = entries
    }

    var address: UInt { UInt(bitPattern: entries) }

    @inline(__always)
    subscript(index: UInt8) -> WorkerPool.Pointer? {
        guard Int(index) < Self.maximum else { return nil }
        return WorkerPool.Pointer(bitPattern: entries[Int(index)].load(ordering: .acquiring))
    }

    func set(_ index: UInt8, to pool: WorkerPool.Pointer) {
        guard Int(index) < Self.maximum else { return }
        entries[Int(index)].store(UInt(bitPattern: pool), ordering: .releasing)
    }

    /// Runs `body` on a pool of a bus. Returns `absent` if there is none, or the bus has ended.
    @inline(__always)
    static func withPool<Result>(
        _ index: UInt8, of bus: BusRecord.Pointer, _ handle: Handle, else absent: Result,
        _ body: (WorkerPool.Pointer) -> Result
    ) -> Result {
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard let pools = Dispatchers(bus.pointee.dispatchers.load(ordering: .acquiring)), let pool = pools[index],
            pool.pointee.busHandle == handle
        else { return absent }
        return body(pool)
    }

    var all: [WorkerPool.Pointer] { (0..<UInt8(Self.maximum)).compactMap { self[$0] } }

    /// After nobody can find it any more.
    func free() {
        for pool in all { pool.free() }
        entries.deinitialize(count: Self.maximum)
        entries.deallocate()
    }
}
