@testable import Crosstie

/// A provider as a step describes it. The classes below say which capabilities it has.
class ScenarioProvider: Provider, @unchecked Sendable {
    private let player: ScenarioPlayer
    fileprivate let step: ScenarioStep
    let endpoints: [Endpoint: Set<ShareKind>]

    required init(_ player: ScenarioPlayer, _ step: ScenarioStep) {
        self.player = player
        self.step = step
        endpoints = step.endpoints
    }

    var name: String { step.text("name") }
    var isPublic: Bool { step.flag("public") }
    var isInstalled: Bool { step.flag("installed", or: true) }
    var isSupported: Bool { step.flag("supported", or: true) }
    var platform: Platform { Platform(rawValue: step.text("platform")) }
    var appID: String { step.text("app_id") }
    var universalLink: String { step.text("universal_link") }

    func share(_ message: Value, to endpoint: Endpoint, _ request: Request) throws -> Value? {
        answer("share", .string(name), request)
    }

    func oauth(_ parameters: Value, _ request: Request) throws -> Value? {
        answer("oauth", ["by": .string(name)], request)
    }

    func launch(_ program: Value, _ request: Request) throws -> Value? { answer("launch", .string(name), request) }

    func open(_ url: String, _ request: Request) throws -> Value? { answer("open_url", .string(name), request) }

    func open(activity: Value, _ request: Request) throws -> Value? {
        answer("open_activity", .string(name), request)
    }

    /// One that says no more than that it can replies its name.
    private func answer(_ capability: String, _ otherwise: Value, _ request: Request) -> Value? {
        guard !step.flag(capability) else { return otherwise }
        let handler = ScenarioHandler(player, bus: step.text("bus", or: "bus"), step.data[capability] ?? .null)
        return handler.handle(request)
    }

    /// The one that has the capabilities which a step gives it.
    static func described(_ player: ScenarioPlayer, _ step: ScenarioStep) throws -> ScenarioProvider {
        if step.has("can") { return DecidingProvider(player, step) }
        let wanted = ["share", "oauth", "launch", "open_url", "open_activity"].filter(step.has)
        return try kind(wanted).init(player, step)
    }

    private static func kind(_ capabilities: [String]) throws -> ScenarioProvider.Type {
        switch capabilities {
        case []: ScenarioProvider.self
        case ["share"]: SharingProvider.self
        case ["oauth"]: OauthScenarioProvider.self
        case ["launch"]: LaunchingProvider.self
        case ["open_url"]: OpeningProvider.self
        case ["open_activity"]: ContinuingProvider.self
        case ["oauth", "launch"]: PlatformProvider.self
        case ["share", "oauth", "launch", "open_url", "open_activity"]: WholeProvider.self
        default: throw Unexpected("no class has just these: \(capabilities)")
        }
    }
}

private final class SharingProvider: ScenarioProvider, ShareProvider, @unchecked Sendable {}
private final class OauthScenarioProvider: ScenarioProvider, OauthProvider, @unchecked Sendable {}
private final class LaunchingProvider: ScenarioProvider, LaunchProvider, @unchecked Sendable {}
private final class OpeningProvider: ScenarioProvider, OpenURLProvider, @unchecked Sendable {}
private final class ContinuingProvider: ScenarioProvider, ActivityProvider, @unchecked Sendable {}
private final class PlatformProvider: ScenarioProvider, OauthProvider, LaunchProvider, @unchecked Sendable {}
private final class WholeProvider: ScenarioProvider, ShareProvider, OauthProvider, LaunchProvider, OpenURLProvider,
    ActivityProvider, @unchecked Sendable
{}

/// One that decides by itself, in place of the comparisons: for what the step names, and has a capability for. Where the
/// step leaves a capability to its comparison, one that decides nothing tells.
private final class DecidingProvider: ScenarioProvider, ShareProvider, OauthProvider, LaunchProvider, OpenURLProvider,
    ActivityProvider, @unchecked Sendable
{
    private let comparing: WholeProvider

    required init(_ player: ScenarioPlayer, _ step: ScenarioStep) {
        comparing = WholeProvider(player, step)
        super.init(player, step)
    }

    func canShare(to endpoint: Endpoint) -> Bool {
        can("share", endpoint.rawValue) { $0.canShare(to: endpoint) }
    }

    func canOauth(with platform: Platform) -> Bool {
        can("oauth", platform.rawValue) { $0.canOauth(with: platform) }
    }

    func canLaunch(on platform: Platform) -> Bool {
        can("launch", platform.rawValue) { $0.canLaunch(on: platform) }
    }

    func canOpen(_ url: String) -> Bool { can("open_url", url) { $0.canOpen(url) } }

    func canOpen(activity: Value) -> Bool {
        can("open_activity", activity["webpageURL"]?.stringValue ?? "") { $0.canOpen(activity: activity) }
    }

    private func can(_ capability: String, _ what: String, _ compare: (WholeProvider) -> Bool) -> Bool {
        guard step.has(capability) else { return false }
        guard !step.has("decides") || step.texts("decides").contains(capability) else { return compare(comparing) }
        return step.flag("can") || step.texts("can").contains(what)
    }
}

extension ScenarioStep {
    /// A map from each endpoint to its kinds, or a list of endpoints alone.
    fileprivate var endpoints: [Endpoint: Set<ShareKind>] {
        guard let kinds = data["endpoints"]?.mapValue else {
            return Dictionary(texts("endpoints").map { (Endpoint(rawValue: $0), []) }) { first, _ in first }
        }
        let given = ScenarioStep(data: .map(kinds))
        return Dictionary(
            kinds.keys.map { (Endpoint(rawValue: $0), Set(given.texts($0).map(ShareKind.init(rawValue:)))) }
        ) { first, _ in first }
    }
}
