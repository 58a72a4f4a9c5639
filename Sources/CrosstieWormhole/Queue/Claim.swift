/// The result.
struct Claim {
    /// In the order of their numbers.
    var deliveries: [CursorState.Delivery] = []
    /// The number of lost messages without a delivery.
    var missed: UInt64 = 0
    /// The number up to which they were.
    var missedUpTo: UInt64 = 0
    var hasMore = false
    /// The time of the next redelivery; the largest number for none.
    var earliestDue = UInt64.max
    /// Whether the cursor has been forgotten.
    var isForgotten = false
    /// On a host's transport: why it is not known whether this has been claimed.
    var uncertainty: CrosstieError?
}
