/// A process's claim on an application: the first instance opens the URLs that later ones hand to it. It ends with
/// ``release()``, with the last reference to it, or with the bus.
public final class Instance: Sendable {
    private let core: InstanceCore

    fileprivate init(_ core: InstanceCore) { self.core = core }

    deinit { _ = core.release() }

    /// Whether this process is the first instance. ``hand(_:activation:timeout:)`` can make it so: when the first one has
    /// ended.
    public var isFirst: Bool { !core.isForked && core.isFirst }

    /// The state of the application's name on the session bus: *ok* while this process has the name, *pending* while it asks
    /// for it. The bus's log has the reason of the others: *notFound* (no session bus, not the first instance, or not
    /// wanted), *invalidIdentifier* (the application's name is not one of D-Bus), *notInstalled* (libdbus-1), *conflict*
    /// (another process has the name). Those of the session bus are *timedOut*, *denied*, *peerGone* and *systemFailure*.
    /// *forked* in a forked child.
    public var dbusStatus: Status { core.isForked ? .forked : core.dbusState.status }

    /// Hands URLs to the first instance, one after the other, and waits until it has opened them; without URLs it
    /// activates that instance.
    ///
    /// - Parameters:
    ///   - activation: a map, which the handler finds as `activation` in its user info; nil for what the desktop gave to
    ///     this process: `activation-token`, `desktop-startup-id`, `cwd` and `arguments`.
    ///   - timeout: for all of it; nil for 10 seconds, ``Swift/Duration/forever`` for no limit.
    /// - Returns: the answers, in order. *pending* are those that wait for ``ready()``, because this process is the first.
    /// - Throws: the first failure of a URL, with the number of failures: as ``Bus/open(_:options:)``, *timedOut* (not
    ///   taken, or not answered yet), *peerGone* (taken, then the first instance ended); *limitExceeded*, *wrongType*
    ///   (activation), *closed*, *forked*, *unsafeFile*, *systemFailure*.
    @discardableResult
    public func hand(
        _ urls: [String] = [], activation: Value? = nil, timeout: Duration? = nil
    ) throws(CrosstieError) -> [HandedURL] {
        guard urls.count <= InstanceCore.maximumURLs else {
            throw CrosstieError(.limitExceeded, "at most \(InstanceCore.maximumURLs) URLs", at: "urls")
        }
        let answers = try core.hand(
            urls, activation ?? Activation.ofProcess, milliseconds: Instance.milliseconds(timeout))
        if let failure = answers.failure { throw failure }
        return answers
    }

    private static func milliseconds(_ timeout: Duration?) -> Int64 {
        guard let milliseconds = timeout?.wholeMilliseconds else { return 0 }
        return milliseconds == .max ? -1 : max(Int64(clamping: milliseconds), 1)
    }

    /// Opens the URLs that this process has handed to itself and those that others hand over, on workers. Failures of this
    /// process's own URLs are in the bus's log.
    ///
    /// - Throws: *invalidArgument* (this process is not the first instance), *closed*, *forked*.
    public func ready() throws(CrosstieError) { try core.ready() }

    /// Ends the claim: another process can be the first.
    ///
    /// - Returns: *ok*; *pending* inside a callback, where it ends soon after; *forked*.
    @discardableResult
    public func release() -> Status { core.release() }
}

extension Bus {
    /// Claims an application: this process is its first instance if no other process of this user is.
    ///
    /// - Parameters:
    ///   - application: by custom the reversed name of a domain: "com.example.app".
    ///   - directory: an absolute path below which the processes meet; nil for the directory of groups.
    ///   - dispatcher: where URLs of other processes open; empty for the bus's default one.
    ///   - usesDBus: whether the first instance also asks the session bus, if there is one, for the application's name,
    ///     and answers org.freedesktop.Application there: ``Instance/dbusStatus``.
    /// - Throws: *invalidIdentifier* (the application), *invalidArgument* (the directory), *notFound* (the dispatcher),
    ///   *unsafeFile*, *invalidHandle*, *systemFailure*.
    public func claimInstance(
        _ application: String, directory: String? = nil, dispatcher: String = "", usesDBus: Bool = true
    ) throws(CrosstieError) -> Instance {
        Instance(
            try InstanceCore.claim(
                handle, application, directory: directory, dispatcher: dispatcher, usesDBus: usesDBus))
    }
}
