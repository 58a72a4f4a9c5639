/// The changed identifiers below a prefix, from the prefix notes.
struct ChangedNames {
    private let stem: ArraySlice<UInt8>
    private let hash: UInt64
    private(set) var names: Set<[UInt8]> = []

    init(below topic: Topic) {
        stem = topic.stem
        hash = topic.hash
    }

    /// Takes those that have changed after one number and up to another. False if they are not all known.
    mutating func follow(_ wakeups: Wakeups, after consumed: UInt64, upTo last: UInt64) -> Bool {
        var found: Set<[UInt8]> = []
        let isKnown = wakeups.followPrefixNotes(hash, after: consumed, upTo: last) { _, name in
            // Other prefixes share the bucket, and the shared memory may contain anything.
            if name.starts(with: stem), Identifier(name) != nil { found.insert(Array(name)) }
        }
        names = found
        return isKnown
    }
}
