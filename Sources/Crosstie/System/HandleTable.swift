internal import Glibc
import Synchronization

/// Records of one kind, at stable addresses, that are never unmapped: a stale handle can always be
/// looked at.
///
/// It lives in zeroed storage (see ``ProcessState``) and is valid when all zero. Index 0 is not used.
package struct HandleTable: ~Copyable {
    /// Address of the directory: one address for each chunk.
    private let directory: Atomic<UInt>
    /// Records made so far, the unused first one included.
    private let count: Atomic<UInt32>
    private let before = CacheLine()
    /// Changed with every record that is taken or given.
    private let freeHead: Atomic<UInt32>
    private let behind = CacheLine()

    private static var chunkShift: UInt32 { 6 }
    private static var chunkMask: UInt32 { 63 }
    private static var directoryBytes: Int { Int((Handle.indexMask + 1) >> chunkShift) * 8 }

    /// The record of a live handle's index, whatever its generation; nil for an index never handed out.
    @inline(__always)
    package func record(_ index: UInt32, stride: Int) -> UnsafeMutableRawPointer? {
        guard index < count.load(ordering: .acquiring),
            let directory = UnsafePointer<UInt>(bitPattern: directory.load(ordering: .relaxed)),
            let chunk = UnsafeMutableRawPointer(bitPattern: directory[Int(index >> HandleTable.chunkShift)])
        else { return nil }
        return chunk + Int(index & HandleTable.chunkMask) &* stride
    }

    /// Takes a record that is not live. Its header is initialized; the rest is as it was before, or zero in a new record.
    /// Call with ``ProcessState/lock`` held. Returns nil when memory, the reserve or indexes have run out: each object
    /// that may live long has a record, so it is refused here while memory is scarce.
    package func take(stride: Int) -> UnsafeMutableRawPointer? {
        guard !Memory.isScarce else { return nil }
        let head = freeHead.load(ordering: .relaxed)
        if head != 0, let free = record(head, stride: stride) {
            freeHead.store(HandleTable.header(free).pointee.nextFree.load(ordering: .relaxed), ordering: .relaxed)
            return free
        }
        return makeRecord(stride: stride)
    }

    /// Gives a record back. Its generation must be even. Call with ``ProcessState/lock`` held.
    package func give(_ record: UnsafeMutableRawPointer) {
        let header = HandleTable.header(record)
        header.pointee.nextFree.store(freeHead.load(ordering: .relaxed), ordering: .relaxed)
        freeHead.store(header.pointee.index, ordering: .relaxed)
    }

    @inline(__always)
    package static func header(_ record: UnsafeMutableRawPointer) -> UnsafeMutablePointer<RecordHeader> {
        record.assumingMemoryBound(to: RecordHeader.self)
    }

    private func makeRecord(stride: Int) -> UnsafeMutableRawPointer? {
        let index = max(count.load(ordering: .relaxed), 1)
        guard index <= Handle.indexMask, let chunk = chunk(for: index, stride: stride) else { return nil }
        let record = chunk + Int(index & HandleTable.chunkMask) * stride
        record.bindMemory(to: RecordHeader.self, capacity: 1).initialize(to: RecordHeader(index: index))
        count.store(index + 1, ordering: .releasing)
        return record
    }

    private func chunk(for index: UInt32, stride: Int) -> UnsafeMutableRawPointer? {
        if directory.load(ordering: .relaxed) == 0 {
            guard let fresh = HandleTable.zeroedPages(HandleTable.directoryBytes) else { return nil }
            directory.store(UInt(bitPattern: fresh), ordering: .releasing)
        }
        guard let entries = UnsafeMutablePointer<UInt>(bitPattern: directory.load(ordering: .relaxed)) else {
            return nil
        }
        let slot = Int(index >> HandleTable.chunkShift)
        if entries[slot] == 0 {
            guard let fresh = HandleTable.zeroedPages(stride << Int(HandleTable.chunkShift)) else { return nil }
            entries[slot] = UInt(bitPattern: fresh)
        }
        return UnsafeMutableRawPointer(bitPattern: entries[slot])
    }

    private static func zeroedPages(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let pages = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return pages == MAP_FAILED ? nil : pages
    }
}
