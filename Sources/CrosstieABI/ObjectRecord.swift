import Crosstie

/// The record behind a handle of a Swift object: a wormhole, a listener or a loop.
struct ObjectRecord: ~Copyable {
    let header: RecordHeader
    /// The object, with a reference of the record's own.
    private var object: UnsafeMutableRawPointer?

    /// Makes a handle for an object.
    static func publish(_ object: AnyObject, _ kind: HandleKind) throws(CrosstieError) -> Handle {
        ProcessState.prepare()
        let raw = ProcessState.lock.with {
            withTable(kind) { $0.take(stride: MemoryLayout<ObjectRecord>.stride) }
        }
        guard let record = raw?.assumingMemoryBound(to: ObjectRecord.self) else {
            throw CrosstieError(.outOfMemory, "no room for another handle")
        }
        record.pointee.object = Unmanaged.passRetained(object).toOpaque()
        record.pointee.header.publish()
        return record.pointee.header.handle(kind)
    }

    /// The object of a live handle.
    ///
    /// - Throws: `invalidHandle` or `forked`.
    static func object<Object: AnyObject>(
        _ handle: Handle, _ kind: HandleKind, as _: Object.Type
    ) throws(CrosstieError) -> Object {
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        let found = withTable(kind) { $0.resolve(handle, kind, as: ObjectRecord.self) }
        guard case .live(let record) = found, let raw = record.pointee.object else { throw dead(found.status) }
        return Unmanaged<Object>.fromOpaque(raw).takeUnretainedValue()
    }

    /// Ends a handle and returns its object.
    ///
    /// - Throws: `invalidHandle` (also when it has been ended before) or `forked`.
    static func retire<Object: AnyObject>(
        _ handle: Handle, _ kind: HandleKind, as _: Object.Type
    ) throws(CrosstieError) -> Object {
        let found = withTable(kind) { $0.resolve(handle, kind, as: ObjectRecord.self) }
        guard case .live(let record) = found, record.pointee.header.retire(handle.generation) else {
            throw dead(found.status)
        }
        // A thread that found the record alive has taken a reference to the object by then.
        ReadSide.waitForReaders()
        guard let raw = record.pointee.object else { throw dead(.invalidHandle) }
        record.pointee.object = nil
        ProcessState.lock.with { withTable(kind) { $0.give(UnsafeMutableRawPointer(record)) } }
        return Unmanaged<Object>.fromOpaque(raw).takeRetainedValue()
    }

    private static func dead(_ status: Status) -> CrosstieError {
        CrosstieError(status == .forked ? .forked : .invalidHandle, "")
    }

    private static func withTable<Result: ~Copyable>(
        _ kind: HandleKind, _ body: (borrowing HandleTable) -> Result
    ) -> Result {
        let state = ProcessState.current
        switch kind {
        case .listener: return body(state.pointee.listeners)
        case .loop: return body(state.pointee.loops)
        default: return body(state.pointee.wormholes)
        }
    }
}
