/// The recipients of an event as a broadcast finds them: a copy, so that components may come and go while it runs.
enum EventRecipients {
    private enum Copied {
        case done(Int)
        /// The list needs so many bytes.
        case tooLarge(Int)
        case unlisted
    }

    /// Runs `body` with the recipients of an event, which are none if no component has it.
    ///
    /// - Throws: *invalidHandle*, *outOfMemory*.
    @inline(__always)
    static func with<Result>(
        _ event: UnsafeRawBufferPointer, on bus: BusRecord.Pointer, _ handle: Handle,
        _ slot: UnsafeMutablePointer<ThreadSlot>, _ body: (inout Recipients) -> Result
    ) throws(CrosstieError) -> Result {
        let (result, size) = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { room -> (Result?, Int) in
            switch copy(event, from: bus, handle, slot, to: room) {
            case .done(let size):
                var recipients = Recipients(UnsafeRawBufferPointer(rebasing: room[..<size]))
                return (body(&recipients), 0)
            case .tooLarge(let size): return (nil, size)
            case .unlisted: return (nil, 0)
            }
        }
        if let result { return result }
        let memory = try allocatedCopy(event, from: bus, handle, slot, size)
        defer { Memory.free(memory.baseAddress) }
        var recipients = Recipients(UnsafeRawBufferPointer(memory))
        return body(&recipients)
    }

    /// Copies them from the bus's table.
    @inline(__always)
    private static func copy(
        _ event: UnsafeRawBufferPointer, from bus: BusRecord.Pointer, _ handle: Handle,
        _ slot: UnsafeMutablePointer<ThreadSlot>, to room: UnsafeMutableRawBufferPointer
    ) -> Copied {
        guard let start = room.baseAddress, event.count <= Name.maximumSize else { return .unlisted }
        // The name's words are read only before the copy is written over them.
        var hash = ActionKey.Hash(0, event.count, seed: bus.pointee.actionSeed)
        ActionKey.copy(event, to: start, &hash)
        let key = ActionKey(
            bytes: UnsafeRawPointer(start), targetSize: 0, actionSize: UInt16(truncatingIfNeeded: event.count),
            hash: hash.value)
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard bus.handle == handle, let table = ActionTable(bus.pointee.actions.load(ordering: .acquiring)),
            let list = table.findRecipients(key)
        else { return .unlisted }
        let entries = list.entries
        guard entries.count <= room.count else { return .tooLarge(entries.count) }
        room.copyMemory(from: entries)
        return .done(entries.count)
    }

    /// A copy in memory of its own: of a list that was too large, or with the lock, which makes the list that later broadcasts
    /// find.
    @inline(never)
    private static func allocatedCopy(
        _ event: UnsafeRawBufferPointer, from bus: BusRecord.Pointer, _ handle: Handle,
        _ slot: UnsafeMutablePointer<ThreadSlot>, _ size: Int
    ) throws(CrosstieError) -> UnsafeMutableRawBufferPointer {
        if size > 0 {
            guard let memory = Memory.allocate(size) else { throw .outOfMemory }
            let room = UnsafeMutableRawBufferPointer(start: memory, count: size)
            if case .done(let size) = copy(event, from: bus, handle, slot, to: room) {
                return UnsafeMutableRawBufferPointer(start: memory, count: size)
            }
            Memory.free(memory)
        }
        let name = String(decoding: event, as: UTF8.self)
        return try BusRecord.withState(handle) { bus, state throws(CrosstieError) in
            let recipients = state.components.recipients(of: name)
            state.components.publish(recipients, of: name, on: bus)
            guard let copy = Recipients.write(recipients) else { throw .outOfMemory }
            return copy
        }
    }
}
