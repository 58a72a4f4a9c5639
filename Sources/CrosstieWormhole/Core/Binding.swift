import Synchronization

/// A listener as its wormhole keeps it.
package final class Binding {
    let topic: Topic
    /// Empty for a listener without a name.
    let name: [UInt8]
    let delivery: ListenOptions.Delivery
    /// Its position among all listeners of this process, in the order in which they came.
    let number = Binding.count.add(1, ordering: .relaxed).newValue
    let feed: any Feed
    /// Its member, which keeps it until it is removed.
    private let core: WormholeCore
    private let call: (Message) -> Void
    private let whenOver: () -> Void

    // Guarded by the table.
    var executor: ListenerExecutor
    /// Its index in its list of the table.
    var index = 0
    var attendance = Attendance.idle
    var isRemoved: Bool {
        get { removal.load(ordering: .acquiring) }
        set { removal.store(newValue, ordering: .releasing) }
    }
    /// Changed under the table's lock, read without it by the thread that calls the listener.
    private let removal = Atomic(false)
    /// Whether the thread that attends to it ends it afterwards.
    var endsAfterCall = false

    private static let count = Atomic<UInt64>(0)

    /// Only for the thread that attends to it, or ends it.
    private var hasFeedEnded = false

    init(
        _ topic: Topic, of core: WormholeCore, _ options: ListenOptions, feed: any Feed,
        call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) {
        self.topic = topic
        self.core = core
        name = options.name
        delivery = options.delivery
        self.feed = feed
        executor = options.executor
        self.call = call
        whenOver = end
    }

    /// Whether a thread collects for it or calls it.
    var isAttended: Bool { attendance == .attended || attendance == .attendedAgain }

    func deliver(_ message: Message) {
        call(message)
        feed.didDeliver(message)
    }

    /// Removes its interests from the store. With no lock held.
    func endFeed() {
        if !hasFeedEnded { feed.end() }
        hasFeedEnded = true
    }

    /// Says that there will be no more calls. Exactly once, with no lock held.
    func finish() {
        endFeed()
        whenOver()
    }
}

/// As a job it means: look after this listener.
extension Binding: Job {
    package func run() -> Bool {
        core.useIfOpen { core.table.attendElsewhere(self) } ?? false
    }

    package func drop() { _ = core.useIfOpen { core.table.deafen(self) } }
}
