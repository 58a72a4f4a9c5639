/// The response to a request.
public struct Response: Sendable {
    /// *ok*, *handlerFailed*, or the status of what kept the request from its handler.
    public let status: Status
    /// 1 for success, the handler's own code on failure, else ``Status/code``.
    public let code: Int32
    /// The answer's value; null where there is none.
    public let value: Value
    /// The message of a failure, else empty. Where the library itself has ended the request it is made when it is asked
    /// for.
    public var message: String { explanation?.text ?? text }

    private let text: String
    private let explanation: Explanation?

    /// Reads an ended request.
    package init(_ block: RequestBlock.Pointer) {
        status = block.pointee.status
        code = block.pointee.code
        value = Value(borrowing: block.swiftValue)
        explanation = Explanation.of(block)
        text = block.pointee.message.stringBytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The error that a failed response is thrown as.
    package var error: CrosstieError {
        CrosstieError(status, text, response: self)
    }
}

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

    /// How far the request has come: *pending*, then its response's status.
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
