@testable import Crosstie

/// Providers: their list, what they serve, and what is logged.
extension ScenarioPlayer {
    func addProvider(_ step: ScenarioStep) throws {
        let provider = try ScenarioProvider.described(self, step)
        let registered = try bus(step).addProvider(provider, at: position(step))
        try step.expectStatus(.ok)
        add(registered, as: step.text("as"))
    }

    private func position(_ step: ScenarioStep) -> Int { step.number("position").map(Int.init) ?? .max }

    func setProviders(_ step: ScenarioStep) throws {
        let providers = try step.steps("providers").map { try ScenarioProvider.described(self, $0) }
        try step.expectStatus(bus(step).setProviders(providers))
    }

    func moveProvider(_ step: ScenarioStep) throws {
        try bus(step).moveProvider(named: step.text("name"), to: position(step))
        try step.expectStatus(.ok)
    }

    func removeProvider(_ step: ScenarioStep) throws {
        try step.expectStatus(bus(step).removeProvider(named: step.text("name")))
    }

    func listProviders(_ step: ScenarioStep) throws {
        let found = try bus(step).providers()
        try step.expectStatus(.ok)
        if step.has("names") { try step.expect("names", found.map(\.name), step.texts("names")) }
        if step.has("value") { try step.expectValue(.list(found.map(\.scenarioValue))) }
    }

    /// Makes a request that providers serve, if the step is about one.
    func handOff(_ step: ScenarioStep, on bus: Bus, _ options: RequestOptions) throws -> Response? {
        let platform = Platform(rawValue: step.text("platform"))
        return switch step.text("do") {
        case "share": try bus.share(step.content, to: step.endpoint, options: options)
        case "oauth": try bus.oauth(with: platform, step.value("params"), options: options)
        case "launch": try bus.launch(step.value("program"), on: platform, options: options)
        default: nil
        }
    }

    /// The same on a worker.
    func handOffAsync(
        _ step: ScenarioStep, on bus: Bus, _ options: RequestOptions,
        _ completion: @escaping @Sendable (Response) -> Void
    ) throws -> Call? {
        let platform = Platform(rawValue: step.text("platform"))
        return switch step.text("do") {
        case "share_async":
            try bus.shareAsync(step.content, to: step.endpoint, options: options, completion: completion)
        case "oauth_async":
            try bus.oauthAsync(with: platform, step.value("params"), options: options, completion: completion)
        case "launch_async":
            try bus.launchAsync(step.value("program"), on: platform, options: options, completion: completion)
        default: nil
        }
    }

    func openByProvider(_ step: ScenarioStep) throws {
        let options = options(step)
        let isClaimed =
            step.has("activity")
            ? try bus(step).openByProvider(activity: step.value("activity"), options: options)
            : try bus(step).openByProvider(url: step.text("url"), options: options)
        try step.expectStatus(.ok)
        try step.expectValue(.bool(isClaimed))
    }

    func noteLog(_ step: ScenarioStep) throws {
        try bus(step).setLog { level, message in
            self.note(["level": .string("\(level)"), "message": .string(message)])
        }
    }

    func logForProvider(_ step: ScenarioStep) throws {
        try bus(step).log(step.text("text"), by: step.text("provider"))
        try step.expectStatus(.ok)
    }

    func redirectLog(_ step: ScenarioStep) throws {
        let note: @Sendable (String, String, String, Int32) -> Void = { message, _, _, _ in
            self.note(["redirected": .string(message)])
        }
        try step.expectStatus(bus(step).setLog(of: step.text("provider"), step.flag("off") ? nil : note))
    }
}

extension ScenarioStep {
    fileprivate var endpoint: Endpoint { Endpoint(rawValue: text("endpoint")) }

    /// A step without a message shares a text.
    fileprivate var content: SharedMessage {
        guard var fields = value("content").mapValue else { return .text("hello") }
        let kind = fields["identifier"]?.stringValue ?? ""
        fields["identifier"] = nil
        return SharedMessage(ShareKind(rawValue: kind), fields)
    }
}

extension ProviderDescription {
    fileprivate var scenarioValue: Value {
        [
            "name": .string(name), "public": .bool(isPublic),
            "capabilities": .list(capabilities.map { .string("\($0)") }),
            "endpoints": .map(
                ValueMap(endpoints.map { ($0.endpoint.rawValue, .list($0.kinds.map { .string($0.rawValue) })) })),
            "platform": .string(platform.rawValue), "app_id": .string(appID),
            "universal_link": .string(universalLink),
        ]
    }
}
