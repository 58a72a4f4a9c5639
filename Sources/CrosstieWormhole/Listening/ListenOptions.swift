/// How a listener is bound.
package struct ListenOptions {
    /// Empty for none.
    package var name: [UInt8] = []
    package var place = ListenPlace.wormhole
    package var delivery = Delivery.state
    /// State: whether it is told what stands there already.
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
        /// Every message, shared with whoever binds the same name.
        case durable
    }

    package static var maximumUnacknowledged: Int { CursorState.maximumOutstanding }

    var maximumOpen: Int { maximumUnacknowledged ?? (isManual ? 1 : 512) }
}
