import Crosstie

/// A handler that may suspend; its result is the answer. If it leaves the request open, that ends when the handler
/// returns: with null for kinds that need no answer, else with *noReply*.
///
/// It runs in a task of its own. The task is cancelled when the request is: by its caller, by its deadline, or because
/// the bus closes. Requests that it makes with the `async` methods of ``Crosstie/Bus`` are made inside its own request:
/// they end no later, and are never more trusted. It cannot decline its request.
public typealias AsyncHandler = @Sendable (Request) async throws -> Value?

extension RequestOptions {
    /// The options with the task's request as parent, unless they name another one. After that request has ended only
    /// its origin counts.
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
