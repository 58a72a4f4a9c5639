extension RouteTable {
    /// The result of adding a route.
    package enum InsertResult: Equatable {
        case inserted
        /// A route of the same shape was there, with this value, and still is.
        case conflict(UInt32)
        /// The same, but it has been replaced.
        case replaced(UInt32)
    }

    /// The largest value of a route.
    package static var maximumValue: UInt32 { NodeReference.numbers }

    /// Adds a route. One writer at a time; readers see it once this returns, whole or not at all until then.
    ///
    /// - Parameters:
    ///   - value: 1 to ``maximumValue``; the result of a match.
    ///   - replacing: whether a route of the same shape is replaced.
    ///   - grace: waits until no reader is in a read section that began before; called when the table moves.
    /// - Throws: *limitExceeded* for a value that is too large, *outOfMemory*.
    package func insert(
        _ pattern: Pattern, value: UInt32, replacing: Bool = false, grace: () -> Void
    ) throws(CrosstieError) -> InsertResult {
        guard value > 0, value <= Self.maximumValue else {
            throw CrosstieError(.limitExceeded, "a table holds at most \(Self.maximumValue) routes")
        }
        let result = RoutePath.with(pattern) { path -> InsertResult? in
            guard let block = roomyBlock(for: path.capacity, grace: grace) else { return nil }
            return RouteInsertion(block: block, path: path).run(value: value, replacing: replacing)
        }
        guard let result, let result else { throw CrosstieError(.outOfMemory, "no memory for a larger route table") }
        return result
    }

    /// The current block if it has room, otherwise a larger one that replaces it.
    private func roomyBlock(for needed: RouteCapacity, grace: () -> Void) -> UnsafeMutablePointer<RouteBlock>? {
        guard let old = block else { return nil }
        if old.pointee.hasRoom(for: needed) { return old }
        guard let new = RouteRebuild(of: old).run(for: needed) else { return nil }
        publish(new, grace: grace)
        return new
    }
}
