import Crosstie

/// A handler that may wait: what it returns is the answer. A request that it leaves open ends when it returns, with
/// null where silence is success, else with *noReply*.
///
/// It runs in a task of its own. The task is cancelled when the request is: by its caller, by its deadline, or since
/// the bus closes. Requests that it makes with the `async` methods of ``Crosstie/Bus`` are made for its own request:
/// they end no later, and are never more trusted. It cannot decline its request.
public typealias AsyncHandler = @Sendable (Request) async throws -> Value?

/// Handlers that start a task.
enum HandlerTask {
    /// A handler that keeps its request and returns at once; a task ends the request.
    static func handler(_ body: @escaping AsyncHandler) -> Handler {
        { request in
            let kept = try request.retain()
            let task = Task {
                await CurrentRequest.$value.withValue(CurrentRequest(kept)) { await run(body, kept.request) }
            }
            // One that has ended otherwise needs no more.
            try? request.onCancel { task.cancel() }
            return nil
        }
    }

    private static func run(_ body: AsyncHandler, _ request: Request) async {
        do {
            try request.end(with: try await body(request))
        } catch {
            request.fail(for: error)
        }
    }
}

/// The request for which a task runs. It is kept as long as the task, or one that it has started, goes on.
final class CurrentRequest: Sendable {
    @TaskLocal static var value: CurrentRequest?

    private let kept: RetainedRequest

    init(_ kept: RetainedRequest) { self.kept = kept }

    var request: Request { kept.request }
}

extension RequestOptions {
    /// The same for the request that the task runs for, unless they name another one. After that has ended only its
    /// origin counts.
    var ofTask: RequestOptions {
        guard parent == nil, let current = CurrentRequest.value?.request else { return self }
        var options = self
        if current.hasEnded {
            if current.origin == .remote { options.origin = .remote }
        } else {
            options.parent = current
        }
        return options
    }
}
