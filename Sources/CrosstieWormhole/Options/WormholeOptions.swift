/// Options of opening a group.
public struct WormholeOptions: Sendable {
    /// The durability of messages.
    public enum Durability: Sendable {
        /// The death of any process, but not of the machine.
        case process
        /// A power failure, too. Each sending waits for the disk; those of several threads at once wait together.
        case system
    }

    /// The group's directory, made with mode 0700 if it is missing; nil: `crosstie/<group>` in
    /// `$XDG_RUNTIME_DIR`, else in `crosstie-<uid>` in the temporary directory; with system durability in
    /// `$XDG_STATE_HOME`, else in `.local/state` in `$HOME`.
    public var directory: String?
    /// The sender's name, for receivers and people: at most 64 bytes; nil: the program's name.
    public var name: String?
    /// Bytes of the store to begin with, taken from the disk at once: 1 MiB to 64 GiB. The process that creates the
    /// group decides this and every other option of the store.
    public var mapSize: UInt64 = 16 << 20
    /// Bytes to which the store may grow as it fills: at least ``mapSize``, at most 64 GiB; nil: 1 GiB, or
    /// ``mapSize`` if that is more. The store's.
    public var maximumMapSize: UInt64?
    /// Bytes of the largest encoded value to pass, at most 64 MiB.
    public var maximumValueSize = 1 << 20
    /// The most messages kept for queues that have not consumed them. Beyond it the oldest are dropped, and each
    /// listener that needed them gets the number it missed. The store's.
    public var maximumQueued: UInt64 {
        get { givenMaximumQueued ?? 1 << 20 }
        set { givenMaximumQueued = newValue }
    }
    /// Bytes that they take at most; nil: a quarter of ``maximumMapSize``. The store's.
    public var maximumQueuedSize: UInt64?
    /// Keep messages for queues also while none exists, so that a queue listener or a durable consumer that begins with
    /// the oldest begins with these: for how long, how many, and how many bytes. Nil in all of them: only needed
    /// messages are kept; else nil is any age, ``maximumQueued``, and an eighth of ``maximumMapSize``. The store's.
    public var retainAge: Duration? {
        get { retainMilliseconds.map { .milliseconds($0) } }
        set { retainMilliseconds = newValue?.wholeMilliseconds }
    }
    public var retainCount: UInt64?
    public var retainSize: UInt64?
    /// The time that a call may wait for a stopped process; 5 seconds.
    public var timeout: Duration {
        get { .milliseconds(timeoutMilliseconds) }
        set { timeoutMilliseconds = UInt32(clamping: newValue.wholeMilliseconds) }
    }
    /// Every process writes into the mapped store itself: faster, but a stray pointer in one program can
    /// spoil what others read. Not with system durability. The store's.
    public var isFast = false
    /// The durability of messages. The store's; `system` is refused for a store that was made for less.
    public var durability = Durability.process

    /// After how long messages of the group expire, unless their own options say otherwise; nil: never. The process
    /// that creates the group decides this and the next one.
    public var expires: Duration? {
        get { expiresMilliseconds == 0 ? nil : .milliseconds(expiresMilliseconds) }
        set { expiresMilliseconds = newValue.map(WormholeOptions.expiry) ?? 0 }
    }
    /// The delay before they are sent, likewise.
    public var delay: Duration {
        get { .milliseconds(delayMilliseconds) }
        set { delayMilliseconds = newValue.wholeMilliseconds }
    }

    /// The messages are kept in this process's memory, until its last wormhole of that group (with ``directory``: of
    /// that path, where nothing is made) closes: for tests. Not together with ``isFast`` or system durability.
    public var isInMemory = false
    /// Opens the group on a file system that is known not to show one process's writes to the others at once, such as NFS
    /// or FUSE; otherwise that is refused as `unsafeFile`. Only for a host that knows better.
    public var allowsAnyFileSystem = false
    /// Opens the group only if it exists; otherwise that is `notFound`, and nothing is made or set aside. For programs
    /// that only look. One in memory has to be open in this process.
    public var mustExist = false
    /// Opens the group only if it makes it; otherwise that is `conflict`. Not for one in memory, or a transport's.
    package var mustBeNew = false
    /// The log-in to the server of an address, and the limits of the group there. Only for a group with an address.
    public var server = ServerOptions()
    /// The log of the wormhole; nil: none. It is called on any thread, several at a time, with no lock held, and not
    /// after ``Wormhole/close()`` has returned `ok`. While the wormhole is being opened, the opening thread calls it.
    public var log: (@Sendable (LogLevel, String) -> Void)?
    /// The same as the library keeps it: of C, or made of ``log`` when the wormhole is opened.
    package var hostLog: WormholeLog?
    // Spans as the store and C have them: nil or 0 as above.
    package var givenMaximumQueued: UInt64?
    package var retainMilliseconds: UInt64?
    package var timeoutMilliseconds: UInt32 = 5000
    package var expiresMilliseconds: UInt64 = 0
    package var delayMilliseconds: UInt64 = 0
    /// The host's own transport, which is released when the wormhole closes, or cannot be opened.
    package var transport: HostTransport?
    /// The host's own engine, likewise.
    package var engine: HostEngine?

    public init() {}

    package static var maximumNameSize: Int { 64 }
    package static var mapSizes: ClosedRange<UInt64> { 1 << 20...64 << 30 }
    package static var valueSizes: ClosedRange<Int> { 1...64 << 20 }
    /// Stores have whole numbers of it, which every page size divides.
    static var mapUnit: UInt64 { 64 << 10 }

    /// A span that is not ahead is over at once, one without an end never.
    private static func expiry(_ span: Duration) -> UInt64 {
        let milliseconds = span.wholeMilliseconds
        return milliseconds == .max ? 0 : max(milliseconds, 1)
    }

    var timeoutNanoseconds: UInt64 { UInt64(timeoutMilliseconds) &* 1_000_000 }

    var storeSize: UInt64 { WormholeOptions.roundedUp(mapSize) }

    var limits: StoreLimits {
        let largest = max(WormholeOptions.roundedUp(maximumMapSize ?? 1 << 30), storeSize)
        var limits = StoreLimits(
            mapSize: largest, queuedCount: maximumQueued, queuedSize: maximumQueuedSize ?? largest / 4)
        limits.sending = SendDefaults(expiresMilliseconds: expiresMilliseconds, delayMilliseconds: delayMilliseconds)
        guard retainMilliseconds != nil || retainCount != nil || retainSize != nil else { return limits }
        limits.retainAge = Clock.nanoseconds(milliseconds: retainMilliseconds ?? .max)
        limits.retainCount = retainCount ?? maximumQueued
        limits.retainSize = retainSize ?? largest / 8
        return limits
    }

    /// Of ``StoreFlags``.
    var flags: UInt32 {
        (isFast ? StoreFlags.fast : 0) | (durability == .system ? StoreFlags.system : 0)
    }

    static func roundedUp(_ size: UInt64) -> UInt64 { (size &+ (mapUnit &- 1)) & ~(mapUnit &- 1) }
}

extension WormholeOptions {
    func check() throws(CrosstieError) {
        try checkStore()
        guard WormholeOptions.valueSizes.contains(maximumValueSize) else {
            throw CrosstieError(.limitExceeded, "values have at most 64 MiB, not \(maximumValueSize) bytes")
        }
        if let name, name.utf8.count > WormholeOptions.maximumNameSize {
            throw CrosstieError(.limitExceeded, "a name has at most \(WormholeOptions.maximumNameSize) bytes")
        }
        try SendOptions.check(delayMilliseconds: delayMilliseconds)
        try checkEngine()
        let isElsewhere = isInMemory || transport != nil
        guard !isElsewhere || (flags == 0 && !(isInMemory && transport != nil)) else {
            throw CrosstieError(
                .invalidArgument, "messages are kept in a directory, in memory or by a transport: one of them")
        }
        guard transport == nil || directory == nil else {
            throw CrosstieError(.invalidArgument, "there is no directory where a transport keeps the messages")
        }
        if let directory, directory.isEmpty || directory.utf8.contains(0) {
            throw CrosstieError(.invalidArgument, "the directory's path is empty or holds a NUL")
        }
    }

    /// Throws for options that an engine's wormhole cannot have.
    private func checkEngine() throws(CrosstieError) {
        guard let engine else { return }
        let isAlone = transport == nil && directory == nil && flags == 0 && !isInMemory && !mustExist
        guard isAlone, !allowsAnyFileSystem else {
            throw CrosstieError(.invalidArgument, "beside an engine there is no directory, transport or flag")
        }
        let defaults = WormholeOptions()
        let isOfStore =
            mapSize != defaults.mapSize || maximumMapSize != nil || maximumQueued != defaults.maximumQueued
            || maximumQueuedSize != nil || retainMilliseconds != nil || retainCount != nil || retainSize != nil
        guard !isOfStore else {
            throw CrosstieError(
                .unsupported, "the store's size, and the limits of queues, are the engine's own", at: "options.engine")
        }
        try engine.check()
    }

    private func checkStore() throws(CrosstieError) {
        guard WormholeOptions.mapSizes.contains(mapSize) else {
            throw CrosstieError(.limitExceeded, "a store has 1 MiB to 64 GiB, not \(mapSize) bytes")
        }
        if let maximumMapSize, !WormholeOptions.mapSizes.contains(maximumMapSize) || maximumMapSize < mapSize {
            throw CrosstieError(.limitExceeded, "a store of \(mapSize) bytes cannot be \(maximumMapSize) bytes at most")
        }
        guard maximumQueued > 0, maximumQueuedSize != 0 else {
            throw CrosstieError(.limitExceeded, "no message could be queued")
        }
        guard retainMilliseconds != 0, retainCount != 0, retainSize != 0 else {
            throw CrosstieError(.limitExceeded, "no message could be retained")
        }
        if isFast, durability == .system {
            throw CrosstieError(.invalidArgument, "a fast store cannot be of system durability")
        }
    }
}
