/// A group of processes that send each other messages, open in this process.
///
/// Messages persist: a process that starts later finds the newest one of every identifier. Every function may be called
/// from any thread, also inside a listener. The wormhole closes when ``close()`` is called, or when the last reference
/// to it and to its listeners is released.
public final class Wormhole: Sendable {
    package let core: WormholeCore

    /// Opens a group, and creates it if it does not exist and `options.mustExist` is false.
    ///
    /// - Parameters:
    ///   - group: its name, of the form of an identifier; with `options.directory` only a label.
    ///   - options: where and how.
    /// - Throws: `invalidIdentifier` (group), `notFound` (`options.mustExist`), `limitExceeded`, `invalidArgument`,
    ///   `unsafeFile` (another user could tamper with the directory or a file), `corruptData`, `incompatibleVersion`,
    ///   `noSpace`, `timedOut`, `outOfMemory`, `systemFailure`.
    public init(_ group: String, options: WormholeOptions = WormholeOptions()) throws(CrosstieError) {
        core = try WormholeCore(group, options: options)
    }

    deinit { _ = core.close() }

    /// Closes the wormhole: its listeners are removed, running calls waited for, its thread ended. Inside any
    /// callback it never waits.
    ///
    /// - Returns: `ok`; `pending` (inside a callback: it ends once the running calls return); `closed` (it was
    ///   before); `forked` (made before a fork of this process: nothing is done).
    @discardableResult
    public func close() -> Status { core.close() }
}
