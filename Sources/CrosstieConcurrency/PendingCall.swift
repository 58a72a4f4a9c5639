import Crosstie
import Synchronization

/// The call of a request that a task waits for; it exists before the call does.
final class PendingCall: Sendable {
    private struct State {
        var call: Call?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func begin(_ call: Call) {
        let isCancelled = state.withLock { state in
            state.call = call
            return state.isCancelled
        }
        if isCancelled { call.cancel() }
    }

    func cancel() {
        let call = state.withLock { state in
            state.isCancelled = true
            return state.call
        }
        call?.cancel()
    }
}

/// A function that starts a request with a completion.
typealias Beginning = (@escaping @Sendable (Response) -> Void) throws(CrosstieError) -> Call

/// Starts a request and suspends the task until it has ended. No thread waits meanwhile.
///
/// - Throws: *cancelled* if the task is cancelled, which cancels the request; otherwise the request's error.
func response(of begin: Beginning) async throws(CrosstieError) -> Response {
    let pending = PendingCall()
    let result: Result<Response, CrosstieError> = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            guard !Task.isCancelled else {
                continuation.resume(returning: .failure(CrosstieError(.cancelled, Status.cancelled.message)))
                return
            }
            do throws(CrosstieError) {
                pending.begin(try begin { continuation.resume(returning: $0.result) })
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    } onCancel: {
        pending.cancel()
    }
    return try result.get()
}

extension Response {
    /// The response of a successful request, else the error to throw.
    var result: Result<Response, CrosstieError> { status.isSuccess ? .success(self) : .failure(error) }
}
