/// How a group is opened.
public struct WormholeOptions: Sendable {
    /// The group's directory, made with mode 0700 if it is missing; nil: `crosstie/<group>` in
    /// `$XDG_RUNTIME_DIR`, else in `crosstie-<uid>` in the temporary directory.
    public var directory: String?
    /// Who sends, for receivers and people: at most 64 bytes; nil: the program's name.
    public var name: String?
    /// Bytes of the store, taken from the disk at once: 1 MiB to 64 GiB. The first opener decides.
    public var mapSize: UInt64 = 16 << 20
    /// Bytes of the largest encoded value to pass, at most 64 MiB.
    public var maximumValueSize = 1 << 20
    /// How long a call may wait for a stopped process, in milliseconds.
    public var timeoutMilliseconds: UInt32 = 5000
    /// Every process writes into the mapped store itself: faster, but a stray pointer in one program can
    /// spoil what others read. The first opener decides.
    public var isFast = false

    /// The messages are kept in this process's memory, until its last wormhole of that group closes: for tests. Not
    /// together with `directory` or `isFast`.
    public var isInMemory = false
    /// The host's own transport, which is let go of when the wormhole closes, or cannot be opened.
    package var transport: HostTransport?

    public init() {}

    package static var maximumNameSize: Int { Bells.maximumNameSize }
    package static var mapSizes: ClosedRange<UInt64> { 1 << 20...64 << 30 }
    package static var valueSizes: ClosedRange<Int> { 1...64 << 20 }

    var timeout: UInt64 { UInt64(timeoutMilliseconds) &* 1_000_000 }

    /// The store's size in whole units of 64 KiB, which every page size divides.
    var storeSize: UInt64 { (mapSize &+ 0xFFFF) & ~0xFFFF }

    func check() throws(CrosstieError) {
        guard WormholeOptions.mapSizes.contains(mapSize) else {
            throw CrosstieError(.limit, "a store has 1 MiB to 64 GiB, not \(mapSize) bytes")
        }
        guard WormholeOptions.valueSizes.contains(maximumValueSize) else {
            throw CrosstieError(.limit, "values have at most 64 MiB, not \(maximumValueSize) bytes")
        }
        if let name, name.utf8.count > Bells.maximumNameSize {
            throw CrosstieError(.limit, "a name has at most \(Bells.maximumNameSize) bytes")
        }
        let isElsewhere = isInMemory || transport != nil
        guard !isElsewhere || (directory == nil && !isFast && !(isInMemory && transport != nil)) else {
            throw CrosstieError(.invalid, "messages are kept in a directory, in memory or by a transport: one of them")
        }
        if let directory, directory.isEmpty || directory.utf8.contains(0) {
            throw CrosstieError(.invalid, "the directory's path is empty or holds a NUL")
        }
    }
}
