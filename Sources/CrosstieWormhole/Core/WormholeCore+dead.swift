/// Dead letters, on bytes.
extension WormholeCore {
    /// Dead letters of a durable consumer after a number, in the order of their numbers; 1,000 at most for a limit of nil.
    package func deadLetters(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8], after: UInt64, limit: Int?
    ) throws(CrosstieError) -> [Wormhole.DeadLetter] {
        let limit = limit ?? 1000
        guard (1...ValueRef.maxCount).contains(limit) else {
            throw CrosstieError(.limitExceeded, "a limit is 1 to \(ValueRef.maxCount)", at: "limit")
        }
        let key = try WormholeCore.cursorKey(identifier, name)
        return try use { () throws(CrosstieError) in try transport.deadLetters(of: key, after: after, limit: limit) }
    }

    /// A dead letter with its value.
    package func deadLetter(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8], sequence: UInt64
    ) throws(CrosstieError) -> Message? {
        let key = try WormholeCore.cursorKey(identifier, name)
        return try use { () throws(CrosstieError) in try transport.deadLetter(sequence, of: key) }
    }

    /// Puts a dead letter back, or for nil all.
    /// - Parameter count: raised by how many it were, also when it fails in the middle.
    package func retry(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8], sequence: UInt64?, count: inout UInt64
    ) throws(CrosstieError) {
        try resolveDeadLetters(.retry, identifier, name, sequence, &count)
    }

    /// Removes a dead letter, or for nil all.
    package func drop(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8], sequence: UInt64?, count: inout UInt64
    ) throws(CrosstieError) {
        try resolveDeadLetters(.drop, identifier, name, sequence, &count)
    }

    private func resolveDeadLetters(
        _ action: DeadLetterAction, _ identifier: UnsafeRawBufferPointer, _ name: [UInt8], _ sequence: UInt64?,
        _ count: inout UInt64
    ) throws(CrosstieError) {
        let key = try WormholeCore.cursorKey(identifier, name)
        var resolved: UInt64 = 0
        defer { count = resolved }
        try use { () throws(CrosstieError) in
            try transport.resolveDeadLetters(action, sequence, of: key, count: &resolved)
        }
    }

    /// The key of a durable consumer that should be there.
    private static func cursorKey(
        _ identifier: UnsafeRawBufferPointer, _ name: [UInt8]
    ) throws(CrosstieError) -> CursorKey {
        guard let topic = try? Topic(identifier), !name.isEmpty, name.count <= Identifier.maximumSize else {
            throw .noDurable(named: name)
        }
        return CursorKey(topic, name: name)
    }
}
