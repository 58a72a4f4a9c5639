/// A listener as its wormhole keeps it.
package final class Binding {
    let topic: Topic
    /// Empty for a listener without a name.
    let name: [UInt8]
    private let call: (Message) -> Void
    private let end: () -> Void

    /// What the listener has heard of: the group's sequence number when it was last looked after. Only the
    /// listening thread uses it once the binding is in the table.
    var heard: UInt64 = 0
    /// Whether the first fire is due yet.
    var isFirstFireDue: Bool
    /// Whether it was last told a value, so that its absence is news.
    var hasToldValue = false

    /// Guarded by the table.
    var isRemoved = false
    /// Guarded by the table: the listening thread ends it after the running call.
    var endsAfterCall = false

    init(
        _ topic: Topic, name: [UInt8], firstFire: Bool, call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) {
        self.topic = topic
        self.name = name
        self.call = call
        self.end = end
        isFirstFireDue = firstFire
    }

    func tell(_ message: Message) { call(message) }

    /// Says that there will be no more calls. Exactly once, with no lock held.
    func finish() { end() }
}
