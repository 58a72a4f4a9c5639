/// An asynchronous request, seen from its caller. Releasing it changes nothing for the request.
public final class Call: Sendable {
    private let handle: Handle

    init(_ handle: Handle) { self.handle = handle }

    deinit { _ = RequestBlock.releaseCall(handle) }

    /// Waits until the request has ended. Its completion may still be running then.
    ///
    /// - Parameter timeout: how long; nil, or ``Swift/Duration/forever``, for as long as it takes.
    /// - Returns: the response, whatever its status.
    /// - Throws: *timedOut*; *deadlock* (inside the handler of this very call); *invalidHandle*; *forked*.
    public func wait(for timeout: Duration? = nil) throws(CrosstieError) -> Response {
        let milliseconds = timeout?.wholeMilliseconds ?? .max
        let (status, block) = RequestBlock.wait(
            handle, milliseconds: milliseconds == .max ? -1 : Int64(clamping: milliseconds), keeping: true)
        guard let block else {
            throw CrosstieError(status, status == .timedOut ? "the call has not ended within \(milliseconds) ms" : "")
        }
        defer { _ = RequestBlock.releaseResponse(block.pointee.header.handle(.response)) }
        return Response(block)
    }

    /// The request's progress: *pending*, then its response's status.
    public var status: Status {
        switch RequestBlock.state(handle) {
        case .success(let status), .failure(let status): return status
        }
    }

    public var isFinished: Bool { status != .pending }

    public var isCancelled: Bool { status == .cancelled }

    /// Whether its deadline has passed without an answer.
    public var isTimedOut: Bool { status == .timedOut }

    /// Ends the request with *cancelled*: a handler that has not started never will, what a running one
    /// answers is dropped.
    ///
    /// - Returns: *ok*, or *alreadyDone* if it had ended.
    @discardableResult
    public func cancel() -> Status { RequestBlock.cancel(handle) }
}
