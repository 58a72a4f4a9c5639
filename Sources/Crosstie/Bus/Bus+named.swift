/// Requests that name their recipient by two names: see ``NamedRequest``.
extension Bus {
    /// Makes a request and waits for its end.
    func request(
        _ kind: RequestKind, _ target: String, _ action: String, _ params: Value, _ options: RequestOptions
    ) throws(CrosstieError) -> Response {
        let (outcome, refusal) = try options.withSpec(params) { spec, params in
            Callee.withBytes(target, action) { target, action in
                NamedRequest.call(kind, handle.pointer, target, action, params.pointer, spec, keeping: true)
                    .withRefusal(of: Callee(target, action, params), kind)
            }
        }
        if let refusal { throw refusal }
        return try outcome.takeResponse()
    }

    /// Makes a request on a worker and returns at once.
    func requestAsync(
        _ kind: RequestKind, _ target: String, _ action: String, _ params: Value, _ options: RequestOptions,
        _ completion: (@Sendable (Response) -> Void)?
    ) throws(CrosstieError) -> Call {
        let (outcome, refusal) = try options.withSpec(params) { spec, params in
            Callee.withBytes(target, action) { target, action in
                NamedRequest.callAsynchronously(
                    kind, handle.pointer, target, action, params.pointer, spec, keeping: true,
                    completion: completion.map { _ in CompletionClosure.call },
                    context: CompletionClosure.context(completion)
                ).withRefusal(of: Callee(target, action, params), kind)
            }
        }
        if let refusal { throw refusal }
        return try outcome.takeCall()
    }
}

extension Outcome {
    /// The outcome, and the error if no request was made. Only while the callee's memory is valid.
    fileprivate func withRefusal(of callee: Callee, _ kind: RequestKind) -> (Outcome, CrosstieError?) {
        (self, status.isSuccess || block != nil ? nil : callee.problem(status, of: kind))
    }
}
