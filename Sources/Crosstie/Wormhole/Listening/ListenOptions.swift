/// How a listener is bound.
package struct ListenOptions {
    /// Empty for none.
    package var name: [UInt8] = []
    package var place = ListenPlace.wormhole
    package var delivery = Delivery.state
    /// State: whether it is told what stands there already.
    package var firstFire = true

    package init() {}

    /// Queue: whether it begins with the oldest message that is still kept.
    package var fromOldest = false

    package enum Delivery {
        case state, queue
    }
}
