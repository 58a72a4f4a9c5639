/// The messages to deliver, collected in a transaction and delivered after its end.
struct Batch {
    private(set) var messages: [Message] = []
    /// Whether there is more to collect at once.
    var hasMore = false
    private var size = 0

    private static var maximumSize: Int { 4 << 20 }
    private static var maximumCount: Int { 256 }

    var isFull: Bool { size >= Batch.maximumSize || messages.count >= Batch.maximumCount }

    /// Adds messages that the caller has counted.
    mutating func add(_ more: [Message]) {
        if messages.isEmpty { messages = more } else { messages += more }
    }

    mutating func add(_ message: Message, size: Int) {
        messages.append(message)
        self.size &+= size
    }
}
