/// What is called when a request ends. They stand in a list of which the newest is the first.
///
/// The word that leads to the list tells in its lowest bits what cannot be added any more.
struct RequestCallback {
    enum Kind {
        /// Told that the request was cancelled, in whatever way.
        case cancellation(NotifyFunction)
        /// Sees the response before the caller does.
        case response(CompletionFunction)
        /// Counts and times the request from a point in time on.
        case meter(Meter, since: UInt64)
    }

    let kind: Kind
    let context: CallbackContext
    /// The older one.
    private(set) var next: Pointer?
    /// How many cancellations and responses there are from here on.
    private var cancellations = 0
    private var responses = 0

    typealias Pointer = UnsafeMutablePointer<RequestCallback>

    init(_ kind: Kind, _ context: CallbackContext = CallbackContext(pointer: nil, destroy: nil)) {
        self.kind = kind
        self.context = context
    }

    /// Of each kind that hosts may add.
    static var maximumCount: Int { 64 }

    enum Closed {
        /// The responses have been called.
        static var responses: UInt { 1 }
        /// The list has been taken.
        static var all: UInt { 2 }
        static var mask: UInt { 3 }
    }

    /// The first one of a list.
    static func first(_ word: UInt) -> Pointer? { Pointer(bitPattern: word & ~Closed.mask) }

    /// Calls `body`, which may free it, with each callback of a list, the newest first.
    static func forEach(in list: UInt, _ body: (Pointer) -> Void) {
        var next = first(list)
        while let callback = next {
            next = callback.pointee.next
            body(callback)
        }
    }

    /// Turns a list that nobody else can see any more, so that the oldest is the first.
    static func reverse(_ list: UInt) -> UInt {
        var turned: Pointer?
        forEach(in: list) { callback in
            callback.pointee.next = turned
            turned = callback
        }
        return UInt(bitPattern: turned)
    }

    /// Puts this one before another. False when that makes too many of its kind.
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

/// A value that a request or its response had before it got another one; who borrowed it may still be looking.
struct KeptValue {
    let value: ValueRef
    /// The status that it is the ``Explanation`` of; *ok* for another value.
    let explained: Status
    let next: UnsafeMutablePointer<KeptValue>?

    /// The explanation of a status in a list.
    static func explanation(of status: Status, in word: UInt) -> ValueRef? {
        var item = UnsafeMutablePointer<KeptValue>(bitPattern: word)
        while let each = item {
            if each.pointee.explained == status { return each.pointee.value }
            item = each.pointee.next
        }
        return nil
    }

    /// Lets go of all values of a list.
    static func releaseAll(_ word: UInt) {
        var item = UnsafeMutablePointer<KeptValue>(bitPattern: word)
        while let each = item {
            item = each.pointee.next
            each.pointee.value.release()
            each.deallocate()
        }
    }
}
