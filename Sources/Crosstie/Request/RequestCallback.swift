/// A callback that runs when a request ends, as an item of a ``RequestCallbackList``.
struct RequestCallback {
    enum Kind {
        /// Is notified of a cancel, a passed deadline or the bus's closing.
        case cancellation(NotifyFunction)
        /// Sees the response before the caller does.
        case response(CompletionFunction)
        /// Counts and times the request from a point in time on.
        case meter(Meter, since: UInt64)
    }

    typealias Pointer = UnsafeMutablePointer<RequestCallback>

    let kind: Kind
    let context: CallbackContext
    /// The next callback of the list, which is the older one.
    var next: Pointer?
    /// The number of cancellations and of responses from here on.
    private var cancellations = 0
    private var responses = 0

    init(_ kind: Kind, _ context: CallbackContext = CallbackContext(pointer: nil, destroy: nil)) {
        self.kind = kind
        self.context = context
    }

    /// The most callbacks of each kind that hosts may add.
    static var maximumCount: Int { 64 }

    var isCancellation: Bool { if case .cancellation = kind { true } else { false } }

    /// Puts this callback before another. Returns false if that makes too many of its kind.
    mutating func follow(_ older: Pointer?) -> Bool {
        next = older
        (cancellations, responses) = (older?.pointee.cancellations ?? 0, older?.pointee.responses ?? 0)
        switch kind {
        case .cancellation: cancellations += 1
        case .response: responses += 1
        case .meter: break
        }
        return max(cancellations, responses) <= Self.maximumCount
    }
}
