/// Sending several messages in one step.
extension WormholeCore {
    package static var maximumMessages: Int { 65_536 }

    /// Sends messages in one step, all or none, and returns the number of the first one. Delayed ones wait, and are sent
    /// when their time has come.
    ///
    /// - Parameter message: lends the message of each index. Its errors have that message as their location, too.
    package func send(
        count: Int, _ options: SendOptions, _ message: (Int) throws(CrosstieError) -> OutgoingMessage
    ) throws(CrosstieError) -> UInt64 {
        guard count > 0 else { throw CrosstieError(.invalidArgument, "there are no messages") }
        guard count <= WormholeCore.maximumMessages else {
            throw CrosstieError(.limitExceeded, "over \(WormholeCore.maximumMessages) messages at once")
        }
        let (begin, tags) = try terms(of: options)
        var changes: [Change] = []
        changes.reserveCapacity(count)
        defer { for change in changes { change.content?.release() } }
        for index in 0..<count {
            do throws(CrosstieError) {
                changes.append(try change(try message(index), tags))
            } catch {
                throw error.ofMessage(index)
            }
        }
        return try use { () throws(CrosstieError) in try write(changes, at: begin, options).sequence }
    }

    /// The changes of a message. Its content is plain, and the caller's to release.
    private func change(_ message: OutgoingMessage, _ tags: [UInt8]?) throws(CrosstieError) -> Change {
        let identifier = try WormholeCore.check(message.identifier)
        guard let content = message.content else { return Change(.signal, identifier, tags: tags) }
        let (plain, size) = try plain(content)
        return Change(.value, identifier, tags: tags, plain, size: size)
    }

    private func write(
        _ changes: [Change], at begin: Int64?, _ options: SendOptions
    ) throws(CrosstieError) -> Receipt {
        if !options.isAtomic, case .engine(let engine) = transport {
            return try engine.writeEach(changes, at: begin, options.token)
        }
        if let begin { return try schedule(changes, at: begin, options.token) }
        if let token = options.token { return try transport.write(changes, token) }
        return try changes.withUnsafeBufferPointer { changes in
            Result { () throws(CrosstieError) in try transport.write(changes) }
        }.get()
    }
}

extension CrosstieError {
    /// This error, its location in the message of an index, or in that one's value.
    func ofMessage(_ index: Int) -> CrosstieError {
        let inside = location.first == "$" ? ".value" + location.dropFirst() : ""
        return CrosstieError(status, message, at: "messages[\(index)]" + inside)
    }
}
