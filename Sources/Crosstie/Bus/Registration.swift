/// Something registered on a bus.
public struct Registration: Sendable {
    package let handle: Handle

    init(_ handle: Handle) { self.handle = handle }

    /// Unregisters it. When this returns *ok* the handler is not running and never will; inside any handler it
    /// returns *pending* instead of waiting for one that runs.
    ///
    /// - Returns: *ok*, *pending*, or *invalidHandle* if it was removed before.
    @discardableResult
    public func remove() -> Status { BusRecord.release(handle) }
}
