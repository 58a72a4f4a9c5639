extension CursorState {
    /// Counts that no decision about a single message depends on.
    struct Tally: Equatable {
        /// Messages that the name has looked at or lost, and the bytes of their values: with what was queued for its
        /// topic they say how much waits. Wraps.
        var taken = LogTail()
        /// The number of times that a message has been handed out.
        var deliveries: UInt64 = 0
        /// The number of messages that are dead letters now.
        var deadCount: UInt64 = 0
        /// The time of the last listener: nanoseconds since 1970 UTC.
        var boundAt: Int64 = 0

        /// Counts messages of the topic that the name has looked at or lost.
        mutating func take(_ count: UInt64, size: Int) {
            taken.index &+= count
            taken.total &+= UInt64(clamping: size)
        }

        /// Counts them as yet to come.
        mutating func untake(_ count: UInt64, size: Int) {
            taken.index &-= count
            taken.total &-= UInt64(clamping: size)
        }
    }

    /// A message that was delivered to a listener.
    struct Delivery: Equatable {
        let sequence: UInt64
        /// The number of times that it was given to a listener.
        var attempts: UInt32
        /// The member whose listener has it; ``nobody``: it is to be redelivered at once.
        var owner: UInt64
        /// Whether its owner died, so that its delivery is uncertain.
        var isUncertain = false
        /// Whether it was a dead letter before, which has been delivered.
        var isRetried = false
        /// Since when: nanoseconds since 1970 UTC.
        var since: Int64 = 0

        static var mostAttempts: UInt32 { .max >> 2 }
    }

    /// The failed messages to be stored beside the cursor.
    struct Failed {
        var waiting: [WaitingMessage] = []
        var dead: [Dead] = []

        /// A message that is to be a dead letter.
        struct Dead: Equatable {
            let delivery: Delivery
            let reason: [UInt8]
        }
    }
}
