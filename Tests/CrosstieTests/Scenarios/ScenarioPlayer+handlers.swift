@testable import Crosstie

/// Handlers without a pattern, and the notes of handlers.
extension ScenarioPlayer {
    func addInterceptor(_ step: ScenarioStep) throws {
        let order = Int32(truncatingIfNeeded: step.number("order") ?? 0)
        let registered = try bus(step).intercept(
            order: order, kinds: step.kinds, dispatcher: step.text("dispatcher"), ScenarioHandler(self, step).handle)
        try step.expectStatus(.ok)
        add(registered, as: step.text("as"))
    }

    func setUnmatched(_ step: ScenarioStep) throws {
        let status = try bus(step).setUnmatched(
            isPublic: step.flag("public"), isWorkerOnly: step.flag("worker_only"), interceptors: interceptors(step),
            handler: handler(step))
        try step.expectStatus(status)
    }

    func setNavigator(_ step: ScenarioStep) throws {
        let status = try bus(step).setNavigator(
            isWorkerOnly: step.flag("worker_only"), interceptors: interceptors(step), handler: handler(step))
        try step.expectStatus(status)
    }

    func setResolver(_ step: ScenarioStep) throws {
        let status = try bus(step).setResolver(
            of: step.text("prefix"), isWorkerOnly: step.flag("worker_only"), interceptors: interceptors(step),
            handler: handler(step))
        try step.expectStatus(status)
    }

    func setFallback(_ step: ScenarioStep) throws {
        let status = try bus(step).setPerformerFallback(
            isWorkerOnly: step.flag("worker_only"), interceptors: interceptors(step), handler: handler(step))
        try step.expectStatus(status)
    }

    func setSystemOpener(_ step: ScenarioStep) throws {
        let status = try bus(step).setSystemOpener(
            isOn: !step.flag("off"), servesRemote: step.flag("remote"), schemes: step.texts("schemes"),
            handler: handler(step))
        try step.expectStatus(status)
    }

    /// A step without a handler takes away the one that is there.
    private func handler(_ step: ScenarioStep) -> Handler? {
        step.has("handler") ? ScenarioHandler(self, step).handle : nil
    }

    /// As many as are expected are waited for: another thread may still be at it.
    func expectNoted(_ step: ScenarioStep) async throws {
        let count = step.value("value").listValue?.count ?? 0
        _ = try await wait(for: "\(count) notes") { noteCount >= count ? true : nil }
        try step.expectValue(.list(takeNotes()))
    }
}

extension ScenarioStep {
    fileprivate var kinds: Set<RequestKind> {
        Set(texts("kinds").compactMap { name in RequestKind.allCases.first { "\($0)" == name } })
    }
}
