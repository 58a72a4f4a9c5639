extension Wormhole {
    /// Binds a listener to an identifier, or to every identifier below a prefix (`chat.*`, or `*` for all).
    ///
    /// First it is called once with the stored message, or one of kind `none`; bound to a prefix, once for each
    /// stored message. Then it hears whatever is newer than the binding. Calls of one listener never overlap;
    /// they come on the wormhole's own thread. A listener may do anything, remove itself and close the
    /// wormhole included.
    ///
    /// - Parameters:
    ///   - name: binding a name again on the same identifier replaces the listener; nil for none.
    ///   - firstFire: false to hear only what is newer than the binding.
    /// - Returns: the listener, which is removed when it is let go of.
    /// - Throws: `identifier`, `limit`, `noMemory`, `busy`, `system`, `closed`, `forked`.
    public func listen(
        _ identifier: String, name: String? = nil, firstFire: Bool = true,
        _ body: @escaping @Sendable (Message) -> Void
    ) throws(CrosstieError) -> Listener {
        let binding = try Array(identifier.utf8).withBytes { bytes throws(CrosstieError) in
            try Wormhole.makeBinding(bytes, name: Array((name ?? "").utf8), firstFire: firstFire, call: body, end: {})
        }
        _ = try bind(binding)
        return Listener(binding, of: self)
    }

    /// Removes the listener of a name. Inside any callback it never waits for a running call.
    ///
    /// - Returns: `ok` (it is not running and never will); `pending`; `notFound`; `closed`; `forked`.
    @discardableResult
    public func removeListener(_ identifier: String, name: String) -> Status {
        Array(identifier.utf8).withUnsafeBytes { removeListener($0, name: Array(name.utf8)) }
    }

    /// Removes all listeners of this wormhole, as ``removeListener(_:name:)`` does.
    @discardableResult
    public func removeListeners() -> Status {
        var status = Status.ok
        for binding in table.removeAll() where table.settle(binding) == .pending { status = .pending }
        return status
    }

    package func removeListener(_ identifier: UnsafeRawBufferPointer, name: [UInt8]) -> Status {
        do throws(CrosstieError) {
            let topic = try Topic(identifier)
            return try use { () throws(CrosstieError) in
                table.remove(topic, name: name).map(table.settle) ?? .notFound
            }
        } catch {
            return error.status == .identifier ? .notFound : error.status
        }
    }

    /// A listener that is not bound yet. `end` runs exactly once if ``bind(_:)`` succeeds, else never.
    package static func makeBinding(
        _ identifier: UnsafeRawBufferPointer, name: [UInt8], firstFire: Bool,
        call: @escaping (Message) -> Void, end: @escaping () -> Void
    ) throws(CrosstieError) -> Binding {
        guard name.count <= Identifier.maximumSize else {
            throw CrosstieError(.limit, "a listener's name has at most \(Identifier.maximumSize) bytes")
        }
        return Binding(try Topic(identifier), name: name, firstFire: firstFire, call: call, end: end)
    }

    /// Binds a listener. Gives `pending` when the one it replaces is running still.
    package func bind(_ binding: Binding) throws(CrosstieError) -> Status {
        try use { () throws(CrosstieError) in
            let thread = try listeningThread()
            let replaced = try table.add(binding)
            thread.nudge()
            return replaced.map(table.settle) ?? .ok
        }
    }

    /// Removes a listener; nil if it was removed before.
    package func unbind(_ binding: Binding) -> Status? {
        table.remove(binding) ? table.settle(binding) : nil
    }
}

/// A listener bound to an identifier. It is removed when the last reference to it is let go of.
public final class Listener: @unchecked Sendable {
    private let binding: Binding
    private let wormhole: Wormhole

    init(_ binding: Binding, of wormhole: Wormhole) {
        self.binding = binding
        self.wormhole = wormhole
    }

    deinit { remove() }

    /// Removes the listener. Inside any callback it never waits for a running call.
    ///
    /// - Returns: `ok` (it is not running and never will); `pending`; `already` (it was removed before).
    @discardableResult
    public func remove() -> Status { wormhole.unbind(binding) ?? .already }
}
