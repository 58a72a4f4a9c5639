/// The number of messages that a listener gets at a time: about as many as it handles in a millisecond, so that other
/// listeners get the messages that a slow one has no time for.
struct BatchSize {
    private let maximum: Int
    private let isManual: Bool
    private var current = 1
    /// Messages of the last batch that have not been delivered.
    private var undelivered = 0
    private var wasFull = false
    private var begin: UInt64 = 0

    private static var span: UInt64 { 1_000_000 }

    init(_ options: ListenOptions) {
        maximum = options.maximumOpen
        isManual = options.isManual
    }

    /// The number that it is given next, when so many are not answered.
    func limit(open: Int) -> Int { max(min(isManual ? maximum : current, maximum - open), 0) }

    /// Begins the delivery of a batch.
    /// - Parameter isFull: whether the batch had as many messages as it may have.
    mutating func begin(_ count: Int, isFull: Bool) {
        undelivered = count
        wasFull = isFull
        begin = Clock.now()
    }

    mutating func didDeliver() {
        undelivered -= 1
        guard undelivered == 0 else { return }
        if Clock.now() &- begin >= BatchSize.span {
            current = max(current / 2, 1)
        } else if wasFull {
            current = min(current * 2, maximum)
        }
    }
}
