/// The counts of the requests that came by one kind to one handler of a bus.
public struct RequestStats: Sendable {
    public let kind: RequestKind
    /// A route's pattern, "component.action", a rule's id, or what else the handler is called; empty for requests that
    /// ended before any handler was started.
    public let name: String
    /// Requests that have ended.
    public let count: Int64
    /// Those of them that failed.
    public let failures: Int64
    /// From the handler's start to the request's end, all together.
    public var total: Duration { Duration(nanoseconds: UInt64(clamping: nanoseconds)) }
    /// The longest of these spans.
    public var longest: Duration { Duration(nanoseconds: UInt64(clamping: longestNanoseconds)) }

    package let nanoseconds: Int64
    package let longestNanoseconds: Int64
}
