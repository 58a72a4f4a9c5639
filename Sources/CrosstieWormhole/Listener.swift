/// A listener bound to an identifier. It is removed with the last reference to it.
public final class Listener: @unchecked Sendable {
    private let binding: Binding
    private let wormhole: Wormhole

    init(_ binding: Binding, of wormhole: Wormhole) {
        self.binding = binding
        self.wormhole = wormhole
    }

    deinit { remove() }

    /// Removes the listener. Inside any callback it never waits for a running call.
    ///
    /// - Returns: `ok` (it is not running and never will); `pending`; `alreadyDone` (it was removed before).
    @discardableResult
    public func remove() -> Status { wormhole.core.unbind(binding) ?? .alreadyDone }
}
