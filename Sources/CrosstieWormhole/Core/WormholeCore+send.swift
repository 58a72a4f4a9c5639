/// Sending with headers and times, on bytes.
extension WormholeCore {
    /// Passes a value, which is borrowed, or a signal; at once, or when its time has come.
    /// - Parameter content: nil for a signal.
    package func send(
        _ identifier: UnsafeRawBufferPointer, _ content: ValueRef?, _ options: SendOptions
    ) throws(CrosstieError) -> Receipt {
        let identifier = try WormholeCore.check(identifier)
        let (begin, tags) = try terms(of: options)
        guard let content else { return try deliver(Change(.signal, identifier, tags: tags), at: begin, options.token) }
        let (plain, size) = try plain(content)
        defer { plain.release() }
        return try deliver(Change(.value, identifier, tags: tags, plain, size: size), at: begin, options.token)
    }

    /// When a message is delivered, if it waits; its headers and expiry.
    func terms(of options: SendOptions) throws(CrosstieError) -> (begin: Int64?, tags: [UInt8]?) {
        try options.checkHeaders()
        let now = WallClock.now()
        let begin = try sendDefaults.begin(options.begins, now: now)
        let expiry = sendDefaults.expiry(options.expires, from: begin ?? now)
        return (begin, MessageTags.encoded(options.headers, expiry: expiry))
    }

    private func deliver(_ change: Change, at begin: Int64?, _ token: StepToken?) throws(CrosstieError) -> Receipt {
        try use { () throws(CrosstieError) in
            guard let begin else {
                guard let token else { return try write(change) }
                return try transport.write([change], token)
            }
            return try schedule([change], at: begin, token)
        }
    }

    func schedule(
        _ changes: [Change], at begin: Int64, _ token: StepToken? = nil
    ) throws(CrosstieError) -> Receipt {
        let first = try transport.schedule(changes, until: UInt64(max(begin, 1)), token)
        return Receipt(sequence: first, notified: MemberMask())
    }

    /// The scheduled messages under a topic, in the order of times.
    package func scheduled(_ topic: UnsafeRawBufferPointer) throws(CrosstieError) -> [Wormhole.Scheduled] {
        let topic = try Topic(topic)
        return try use { () throws(CrosstieError) in try transport.scheduled(topic) }
    }

    /// Removes a message that waits for its time. False if there is none of that number.
    package func cancelScheduled(_ number: UInt64) throws(CrosstieError) -> Bool {
        try use { () throws(CrosstieError) in try transport.cancelScheduled(number) }
    }
}
