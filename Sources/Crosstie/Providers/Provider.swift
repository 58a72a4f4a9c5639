/// A connection to another application or service. It has the capabilities of the protocols below that it adopts.
///
/// Its methods answer as handlers do: by what they return, reply, refuse or throw, at once or later. With
/// ``Request/refuse(_:_:)`` and *userCancelled* one says that the user did not want to, with *unknownAnswer* that the
/// service's answer could not be understood; ``Request/decline()`` lets the next provider try. They run on any thread,
/// several at a time.
public protocol Provider: Sendable {
    /// Unique on its bus: a letter or `_`, then letters, digits, `_ . -`; at most 128 bytes.
    var name: String { get }
    /// Whether URLs and activities of remote origin reach it.
    var isPublic: Bool { get }
    /// Asked before it shares, signs in or launches.
    var isInstalled: Bool { get }
    /// Likewise: whether the installed version is new enough.
    var isSupported: Bool { get }
}

extension Provider {
    public var isPublic: Bool { false }
    public var isInstalled: Bool { true }
    public var isSupported: Bool { true }
}
