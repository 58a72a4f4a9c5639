import CrosstieJoin

/// Verbs for joined buses.
extension ScenarioPlayer {
    func joinBus(_ step: ScenarioStep) throws {
        var options = JoinOptions()
        if step.has("name") { options.name = step.text("name") }
        (options.exports, options.imports) = (step.texts("exports"), step.texts("imports"))
        options.isTrusted = step.flag("trusted")
        let group = try find(Wormhole.self, step.text("wormhole", or: "wormhole"))
        add(try bus(step).join(group, options: options), as: step.text("as", or: "membership"))
        try step.expectStatus(.ok)
    }

    private func membership(_ step: ScenarioStep) throws -> Join {
        try find(Join.self, step.text("membership", or: "membership"))
    }

    func leave(_ step: ScenarioStep) throws {
        try membership(step).leave()
        giveUp(Join.self, step.text("membership", or: "membership"))
    }

    func setExports(_ step: ScenarioStep) throws {
        try membership(step).setExports(step.texts("exports"))
        try step.expectStatus(.ok)
    }

    /// Waits until these are the peers: others come and go by themselves.
    func expectPeers(_ step: ScenarioStep) async throws {
        let (join, names) = (try membership(step), step.texts("names"))
        _ = try await wait(for: "the peers \(names)") {
            try join.peers().map { $0["name"]?.stringValue } == names ? true : nil
        }
    }

    func listComponentsAnywhere(_ step: ScenarioStep) throws {
        let found = try bus(step).componentsAnywhere().map { component in
            Value.list([.string(component.name), component.peer?["name"] ?? .null])
        }
        try step.expect("components", .list(found), step.value("names"))
    }
}
