internal import Glibc
import Synchronization

/// Memory in which a writer makes a record before it writes it into an extent. The process keeps one block for all of its
/// groups, so that their number does not count.
enum ExtentRoom {
    /// The address of the block that no writer uses; 0 without one.
    private static let kept = Atomic<UInt>(0)

    /// The largest block that is kept: 4 MiB and the fields beside them.
    static var largestKept: Int { (4 << 20) + (64 << 10) }
    /// Blocks have a whole number of these, so that records of almost one size share one.
    private static var unit: Int { 64 << 10 }
    /// A block begins with its size.
    private static var headerSize: Int { 16 }

    /// Returns memory of at least so many bytes, for ``give(_:)``; nil if there is none.
    static func take(_ size: Int) -> UnsafeMutableRawPointer? {
        if let block = UnsafeMutableRawPointer(bitPattern: kept.exchange(0, ordering: .acquiring)) {
            if block.load(as: Int.self) >= size { return block + headerSize }
            free(block)
        }
        let capacity = (size &+ unit &- 1) & ~(unit &- 1)
        guard let block = malloc(capacity &+ headerSize) else { return nil }
        block.storeBytes(of: capacity, as: Int.self)
        return block + headerSize
    }

    static func give(_ room: UnsafeMutableRawPointer) {
        let block = room - headerSize
        guard block.load(as: Int.self) <= largestKept else { return free(block) }
        let before = kept.exchange(UInt(bitPattern: block), ordering: .acquiringAndReleasing)
        if let unused = UnsafeMutableRawPointer(bitPattern: before) { free(unused) }
    }
}
