extension Status {
    /// Whether an error is one of this status, so that a `catch` can name it.
    ///
    /// ```swift
    /// do {
    ///     try bus.open("app://users/42")
    /// } catch Status.noRoute {
    ///     showStart()
    /// }
    /// ```
    public static func ~= (status: Status, error: any Error) -> Bool { (error as? CrosstieError)?.status == status }

    /// Whether two are the same: a status is an error itself, and what is above would take it in a `switch`.
    @inlinable
    @inline(__always)
    public static func ~= (pattern: Status, status: Status) -> Bool { pattern.rawValue == status.rawValue }
}
