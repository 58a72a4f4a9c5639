/// A host's callback for peers that come, go and change. It is used on the join's callback thread alone.
package final class PeerListener: @unchecked Sendable {
    private let call: (PeerEvent, ValueRef) -> Void
    private let end: () -> Void

    package init(_ call: @escaping (PeerEvent, ValueRef) -> Void, end: @escaping () -> Void = {}) {
        (self.call, self.end) = (call, end)
    }

    deinit { end() }

    func receive(_ event: PeerEvent, _ peer: Value) {
        guard let value = try? peer.makeRef() else { return }
        ThreadSlot.current.withCallback { call(event, value) }
        value.release()
    }
}
