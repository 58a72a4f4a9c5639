import Crosstie

/// Handlers that start a task.
enum HandlerTask {
    /// A handler that retains its request and returns at once; a task ends the request.
    static func handler(_ body: @escaping AsyncHandler) -> Handler {
        { request in
            let kept = try request.retain()
            let task = Task {
                await CurrentRequest.$value.withValue(CurrentRequest(kept)) { await run(body, kept.request) }
            }
            // A request that has already ended needs no answer.
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
