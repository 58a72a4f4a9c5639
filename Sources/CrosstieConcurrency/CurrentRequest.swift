import Crosstie

/// The request for which a task runs. It is retained while the task, or one that it has started, runs.
final class CurrentRequest: Sendable {
    @TaskLocal static var value: CurrentRequest?

    private let kept: RetainedRequest

    init(_ kept: RetainedRequest) { self.kept = kept }

    var request: Request { kept.request }
}
