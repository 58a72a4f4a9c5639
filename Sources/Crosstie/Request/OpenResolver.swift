internal import Glibc
import Synchronization

/// What a door's resolver came to.
package enum Resolution {
    case found(Registration.Pointer)
    case failed(Status)
}

/// The open door's resolver: the most specific route, and whether the origin may have it.
///
/// Call it inside a read section.
package enum OpenResolver {
    /// The registrations that have declined are passed over one by one, not by their number: routes come and go
    /// while handlers run.
    @inline(__always)
    static func resolve(_ block: RequestBlock.Pointer, past declined: [Handle]?) -> Resolution {
        guard let table = block.pointee.bus.pointee.routes else { return .failed(.closed) }
        var passed = 0
        while true {
            let match = block.match(table, skipping: passed)
            guard match.outcome == .found, let registration = Registration.at(match.value) else {
                return .failed(failure(match, table, block))
            }
            if let declined, declined.contains(registration.pointee.header.handle(.registration)) {
                passed &+= 1
                continue
            }
            // The best match decides: a private one is never passed over for a public one.
            guard block.pointee.isLocal || registration.pointee.isPublic else { return .failed(.denied) }
            block.pointee.captureCount = match.captureCount
            return .found(registration)
        }
    }

    @inline(never)
    private static func failure(_ match: MatchResult, _ table: RouteTable, _ block: RequestBlock.Pointer) -> Status {
        switch match.outcome {
        case .limit: return .limit
        case .needsRoom: return .noMemory
        case .found, .none: break
        }
        guard block.withParts({ table.hasScheme($0) }) else { return .blocked }
        return block.pointee.parts.flags.contains(.opaque) ? .path : .noRoute
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    @inline(__always)
    fileprivate func match(_ table: RouteTable, skipping declined: Int) -> MatchResult {
        let match = withParts { table.match($0, segments: segments, skip: declined, into: captures) }
        guard match.outcome == .needsRoom, growArea(to: Int(match.value)) else { return match }
        return withParts { table.match($0, segments: segments, skip: declined, into: captures) }
    }

    /// Moves the URL's text into a larger area; ranges stay as they are.
    private func growArea(to bytes: Int) -> Bool {
        let used = Int(pointee.parts.used)
        guard bytes <= URLLimits.area, bytes >= used, let memory = malloc(bytes) else { return false }
        memory.copyMemory(from: pointee.parts.area, byteCount: used)
        free(pointee.overflow)
        pointee.overflow = memory
        pointee.parts.area = memory
        pointee.parts.capacity = UInt32(truncatingIfNeeded: bytes)
        return true
    }
}

extension OpenDoor {
    /// Who would open a URL, without a side effect.
    package static func canOpen(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, isLocal: Bool
    ) -> (Status, Opener) {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return (resolved.status, .none) }
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(on: slot, bus: bus, handle: handle) else { return (.noMemory, .none) }
        defer { block.drop() }
        block.pointee.isLocal = isLocal && slot.isTrusted
        guard case .parsed = block.parse(url) else { return (.ok, .none) }
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        guard block.isBusLive else { return (.handle, .none) }
        guard case .found = OpenResolver.resolve(block, past: nil) else { return (.ok, .none) }
        return (.ok, .route)
    }
}
