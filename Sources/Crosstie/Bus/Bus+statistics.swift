/// What a bus has counted of the requests that came by one kind to one handler.
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

extension Bus {
    /// What the bus has counted since it was made: by kind, then by name.
    ///
    /// - Throws: *invalidArgument* (it does not count: ``BusOptions/countsTime``); *invalidHandle* (the bus has closed).
    public func stats() throws(CrosstieError) -> [RequestStats] { try BusRecord.stats(handle) }
}

extension BusRecord {
    package static func stats(_ handle: Handle) throws(CrosstieError) -> [RequestStats] {
        try withState(handle) { bus, _ throws(CrosstieError) in
            guard let meters = bus.pointee.meters else {
                throw CrosstieError(.invalidArgument, "the bus counts nothing: make it with CTIE_BUS_STATS")
            }
            return meters.stats
        }
    }
}
