/// How a listener is bound.
package struct ListenOptions {
    /// Empty for none.
    package var name: [UInt8] = []
    package var delivery = Delivery.state
    /// State: whether it is told what stands there already.
    package var firstFire = true

    package init() {}

    package enum Delivery {
        case state
    }
}
