/// Something registered on a bus.
public struct Registered: Sendable {
    package let handle: Handle

    init(_ handle: Handle) { self.handle = handle }

    /// Unregisters it. When this gives *ok* the handler is not running and never will; inside any handler it
    /// gives *pending* instead of waiting for one that runs.
    ///
    /// - Returns: *ok*, *pending*, or *invalidHandle* if it was gone already.
    @discardableResult
    public func remove() -> Status { BusRecord.release(handle) }
}
