internal import CCrosstie
import Synchronization

/// The process's types of foreign objects. A type's number is its index, from 1; 0 is none. None is ever removed.
package enum ForeignTypes {
    static var capacity: Int { Int(CTIE_FOREIGN_MAX_TYPES) &+ 1 }

    /// The type of a number that a value holds, which was registered before that value was made.
    static func hooks(_ type: Int) -> UnsafePointer<ForeignHooks> {
        UnsafePointer(foreignTable.unsafelyUnwrapped + type)
    }

    /// True for a number that has been given out.
    static func isRegistered(_ type: UInt32) -> Bool {
        type > 0 && Int(type) < foreignCount.load(ordering: .acquiring)
    }

    /// Registers a type for good. The same one again gives the same number.
    ///
    /// - Throws: `invalidIdentifier`, `conflict` when the tag has other hooks, `limitExceeded`, `outOfMemory`.
    package static func register(_ hooks: ForeignHooks) throws(CrosstieError) -> UInt32 {
        guard isTag(hooks.tag) else {
            throw CrosstieError(
                .invalidIdentifier, "a foreign type's tag is [A-Za-z_][A-Za-z0-9_.-]*, at most 128 bytes")
        }
        let result = registration.withLock { _ in
            Result { () throws(CrosstieError) in try registerLocked(hooks) }
        }
        return try result.get()
    }

    private static func registerLocked(_ hooks: ForeignHooks) throws(CrosstieError) -> UInt32 {
        let table = try tableLocked()
        let count = foreignCount.load(ordering: .relaxed)
        for index in 1..<count where equalBytes(table[index].tag, hooks.tag) {
            guard table[index].isSame(as: hooks) else {
                throw CrosstieError(.conflict, "the foreign type's tag is taken by other hooks")
            }
            return UInt32(truncatingIfNeeded: index)
        }
        guard count < capacity else { throw CrosstieError(.limitExceeded, "there are \(capacity &- 1) foreign types") }
        guard let tag = Memory.allocate(hooks.tag.count) else { throw .outOfMemory }
        UnsafeMutableRawBufferPointer(start: tag, count: hooks.tag.count).copyMemory(from: hooks.tag)
        var owned = hooks
        owned.tag = UnsafeRawBufferPointer(start: tag, count: hooks.tag.count)
        (table + count).initialize(to: owned)
        foreignCount.store(count &+ 1, ordering: .releasing)
        return UInt32(truncatingIfNeeded: count)
    }

    private static func tableLocked() throws(CrosstieError) -> UnsafeMutablePointer<ForeignHooks> {
        if let foreignTable { return foreignTable }
        guard let start = Memory.allocate(capacity &* MemoryLayout<ForeignHooks>.stride) else { throw .outOfMemory }
        let table = start.assumingMemoryBound(to: ForeignHooks.self)
        foreignTable = table
        return table
    }

    private static func isTag(_ tag: UnsafeRawBufferPointer) -> Bool {
        guard let first = tag.first, tag.count <= 128 else { return false }
        return isLetter(first) && tag.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2E || $0 == 0x2D }
    }
}

func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F }
func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

// Initialized by the linker rather than at first use, so that reading them costs nothing. The table is set
// once, under the lock, before the first number is given out.
nonisolated(unsafe) private var foreignTable: UnsafeMutablePointer<ForeignHooks>?
private let foreignCount = Atomic<Int>(1)
private let registration = Mutex<Void>(())
