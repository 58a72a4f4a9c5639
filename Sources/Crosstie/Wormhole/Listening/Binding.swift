/// A listener as its wormhole keeps it.
package final class Binding {
    let topic: Topic
    /// Empty for a listener without a name.
    let name: [UInt8]
    let feed: any Feed
    private let call: (Message) -> Void
    private let whenOver: () -> Void

    // Guarded by the table.
    var isRemoved = false
    /// Whether it stands among those to be looked after.
    var isDue = false
    /// Whether a thread collects for it or calls it.
    var isAttended = false
    /// Whether who attends to it ends it afterwards.
    var endsAfterCall = false

    init(
        _ topic: Topic, name: [UInt8], feed: any Feed, call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) {
        self.topic = topic
        self.name = name
        self.feed = feed
        self.call = call
        whenOver = end
    }

    func tell(_ message: Message) {
        call(message)
        feed.told(message)
    }

    /// Says that there will be no more calls. Exactly once, with no lock held.
    func finish() {
        feed.end()
        whenOver()
    }
}
