extension Request {
    /// Whether the caller wants the target's instance to be kept, for a performed target.
    public var isCached: Bool { block?.isCached ?? false }

    /// Whether it only asks to let go of the instance that is kept: there is no selector then.
    public var isRelease: Bool { block?.isRelease ?? false }
}
