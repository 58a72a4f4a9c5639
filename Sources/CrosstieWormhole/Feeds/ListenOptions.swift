/// Options of a listener.
package struct ListenOptions {
    /// Empty for none.
    package var name: [UInt8] = []
    package var executor = ListenerExecutor.wormhole
    package var delivery = Delivery.state
    /// State: whether there is an initial delivery.
    package var initialDelivery = true

    /// Queue: where it begins; a durable consumer when it is made.
    package var start = QueueStart.next
    /// Queue: whether returning does not acknowledge.
    package var isManual = false
    /// Queue: how many messages it has at most that are not acknowledged; nil for the default.
    package var maximumUnacknowledged: Int?

    package init() {}

    package enum Delivery {
        case state
        /// Every message from the binding on.
        case queue
        /// Every message, shared with the other listeners of the same name.
        case durable
    }

    package static var maximumUnacknowledged: Int { CursorState.maximumOutstanding }

    var maximumOpen: Int { maximumUnacknowledged ?? (isManual ? 1 : 512) }
}
