import Crosstie
import Synchronization

extension Bus {
    /// Starts a request that reports progress, and returns at once.
    ///
    /// ```swift
    /// let scaling = try bus.start(.call("images", "scale", ["width": 640]))
    /// for await step in scaling.progress { show(step) }
    /// let response = try await scaling.response()
    /// ```
    ///
    /// - Throws: *busy* (the queue is full); the errors of the request's arguments.
    public func start(
        _ subject: RequestSubject, options: RequestOptions = RequestOptions()
    ) throws(CrosstieError) -> RunningRequest {
        let (progress, reports) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(RunningRequest.maximumBuffered))
        let answer = PendingResponse()
        var options = options.ofTask
        let own = options.progress
        options.progress = { value in
            own?(value)
            reports.yield(value)
        }
        let call = try subject.begin(self, options) { response in
            reports.finish()
            answer.set(response)
        }
        return RunningRequest(progress: progress, call: call, answer: answer)
    }
}

/// A started request, which goes on even if this handle is dropped.
public struct RunningRequest: Sendable {
    /// The request's progress, which ends with the request. The newest 64 unread values are kept. One task may read it.
    public let progress: AsyncStream<Value>

    private let call: Call
    private let answer: PendingResponse

    fileprivate static var maximumBuffered: Int { 64 }

    fileprivate init(progress: AsyncStream<Value>, call: Call, answer: PendingResponse) {
        self.progress = progress
        self.call = call
        self.answer = answer
    }

    /// Suspends the task until the request has ended. Any number of tasks may wait; cancelling one cancels the request.
    ///
    /// - Returns: the response of a successful request.
    /// - Throws: *cancelled*, or the request's error.
    public func response() async throws(CrosstieError) -> Response {
        let response = await withTaskCancellationHandler {
            await answer.get()
        } onCancel: {
            call.cancel()
        }
        return try response.result.get()
    }

    /// Ends the request with *cancelled*.
    ///
    /// - Returns: *ok*, or *alreadyDone* if it had ended.
    @discardableResult
    public func cancel() -> Status { call.cancel() }
}

/// A response that tasks await.
private final class PendingResponse: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Response, Never>])
        case there(Response)
    }

    private let state = Mutex(State.awaited([]))

    func set(_ response: Response) {
        let waiting: [CheckedContinuation<Response, Never>] = state.withLock { state in
            guard case .awaited(let waiting) = state else { return [] }
            state = .there(response)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: response) }
    }

    func get() async -> Response {
        await withCheckedContinuation { continuation in
            let response: Response? = state.withLock { state in
                switch state {
                case .there(let response): return response
                case .awaited(let waiting):
                    state = .awaited(waiting + [continuation])
                    return nil
                }
            }
            if let response { continuation.resume(returning: response) }
        }
    }
}
