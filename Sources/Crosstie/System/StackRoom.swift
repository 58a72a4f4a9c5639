internal import CPlatform

/// Room on a thread's stack for a request inside others. Threads of hosts may have little of it, and 64 requests inside
/// each other need more than any one of them.
struct StackRoom {
    /// Requests inside others begin above this address alone; the highest one while nothing is known.
    private var floor: UInt = .max
    /// Where the stack ends.
    private var low: UInt = 0

    /// The least stack that a handler and the library's work for it may need.
    private static var reserve: UInt { 16 << 10 }

    @inline(__always)
    static func isEnough(for slot: UnsafeMutablePointer<ThreadSlot>) -> Bool {
        cp_stack_pointer() >= slot.pointee.stack.floor || slot.pointee.stack.hasRoomBelow(cp_stack_pointer())
    }

    /// On another stack than the thread's own (of a coroutine, of a signal) nothing is known, and there is room.
    @inline(never)
    private mutating func hasRoomBelow(_ pointer: UInt) -> Bool {
        if floor == .max { measure() }
        return pointer >= floor || pointer < low
    }

    private mutating func measure() {
        floor = 0
        var high: UInt = 0
        guard cp_stack_bounds(&low, &high) else { return }
        floor = low &+ min(StackRoom.reserve, (high &- low) / 2)
    }
}
