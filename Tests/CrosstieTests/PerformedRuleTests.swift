import Synchronization
import Testing

@testable import Crosstie

/// Rules that lead to targets of the performer.
@Suite struct PerformedRuleTests {
    /// A bus with a table of one public rule, whose target's prefix has a resolver that tells its request.
    private func fixture(target: String = "t:view", allowing allowed: [String] = ["t:view"]) throws -> Bus {
        let bus = try Bus()
        let rule = Value.rule(
            "search", "/search",
            [
                "target": .string(target), "openType": "push", "animated": true, "paramsTarget": "t:params",
                "params": ["type": ["type": "int", "required": true], "all": ["type": "bool", "default": false]],
            ])
        let other = Value.rule("rest", "/*rest", ["target": "t:rest"])
        try bus.loadRules(Value.document([rule, other], webHosts: []).json())
        for target in allowed { try bus.allow(target) }
        try bus.setResolver(of: "t") { request in
            [
                "target": .string(request.target), "selector": .string(request.action),
                "params": request.params, "openType": request.rule?.mapValue?["openType"] ?? .null,
                "animated": request.rule?.mapValue?["animated"] ?? .null,
                "paramsTarget": request.rule?.mapValue?["paramsTarget"] ?? .null,
                "origin": .int(Int64(request.origin.rawValue)), "info": request.userInfo,
            ]
        }
        return bus
    }

    private func status(_ body: () throws -> Void) -> Status? { error(body)?.status }

    private func error(_ body: () throws -> Void) -> CrosstieError? {
        do {
            try body()
            return nil
        } catch {
            return error as? CrosstieError
        }
    }

    private let url = "app://route/search?type=1"

    @Test func aRemoteURLIsPerformedByAPublicRule() throws {
        let bus = try fixture()
        #expect(bus.canOpen(url, origin: .remote) == .route)
        let response = try bus.open(url, origin: .remote, userInfo: ["from": "host"])
        #expect(
            response.value == [
                "target": "t:view", "selector": "open", "params": ["type": 1, "all": false], "openType": "push",
                "animated": true, "paramsTarget": "t:params", "origin": 0, "info": ["from": "host"],
            ])
        #expect(status { _ = try bus.open("app://route/search?type=x", origin: .remote) } == .invalidParameter)
    }

    /// The record of a request is used again on its thread, at whatever kind.
    @Test func canOpenIsRightAfterARequestOfAnotherKind() throws {
        let bus = try fixture()
        for _ in 0..<2 {
            try bus.perform("t:view", "show")
            #expect(bus.canOpen(url, origin: .remote) == .route)
            try? bus.releasePerformer("t:view")
            #expect(bus.canOpen(url) == .route)
        }
    }

    @Test func nestedPerformingIsDenied() throws {
        let bus = try fixture()
        let nested = Mutex<[Status?]>([])
        try bus.setResolver(of: "t") { request in
            let seen = [status { try bus.perform("t:view") }, status { try bus.releasePerformer("t:view") }]
            nested.withLock { $0 += seen }
            return 1
        }
        _ = try bus.open(url, origin: .remote)
        #expect(nested.withLock { $0 } == [.denied, .denied])
    }

    @Test func aRemotePerformIsDenied() throws {
        let bus = try fixture()
        let denied = error { try bus.perform("t:view", options: RequestOptions(origin: .remote)) }
        #expect((denied?.status, denied?.message) == (.denied, "the target 't:view' is not for remote origins"))
        try bus.route("app://page", isPublic: true) { _ in
            .int(Int64(status { try bus.perform("t:view") }?.rawValue ?? 0))
        }
        #expect(try bus.open("app://page", origin: .remote).value == .int(Int64(Status.denied.rawValue)))
        #expect(try bus.open("app://page").value == 0)
    }

    @Test func aPrivateRuleIsNotPerformedFromOutside() throws {
        let bus = try fixture()
        let rule = Value.rule("search", "/search", ["target": "t:view", "visibility": "private"])
        try bus.loadRules(Value.document([rule], webHosts: []).json())
        #expect(status { _ = try bus.open(url, origin: .remote) } == .denied)
        #expect(bus.canOpen(url, origin: .remote) == .none)
        #expect(try bus.open(url).value.mapValue?["target"] == "t:view")
    }

    @Test func theAllowListHolds() throws {
        let bus = try fixture(allowing: ["t:other"])
        let denied = error { _ = try bus.open(url) }
        #expect(
            (denied?.status, denied?.message) == (
                .denied, "the rule 'search' leads to 't:view', which is not on the allow-list"
            ))
        #expect(bus.canOpen(url) == .none)
        try bus.setNavigator { request in .string("navigator of \(request.target)") }
        #expect(try bus.open(url).value == "navigator of t:view")
        try bus.allow("t:view")
        #expect(try bus.open(url).value.mapValue?["target"] == "t:view")
    }

    @Test func aTargetWithoutResolverGoesToTheNavigator() throws {
        let bus = try fixture(target: "SearchView")
        let missing = error { _ = try bus.open(url) }
        #expect(
            (missing?.status, missing?.message) == (
                .noTarget, "the rule 'search' leads to 'SearchView', which nobody finds"
            ))
        try bus.setNavigator { _ in "navigator" }
        #expect(try bus.open(url).value == "navigator")
        let other = try fixture(target: "u:view", allowing: ["u:view"])
        #expect(status { _ = try other.open(url) } == .noTarget)
    }

    @Test func theRulesOwnHandlerComesFirst() throws {
        let bus = try fixture()
        try bus.setNavigator { _ in "navigator" }
        let own = try bus.handleRule("search") { _ in "own" }
        #expect(try bus.open(url).value == "own")
        own.remove()
        #expect(try bus.open(url).value.mapValue?["target"] == "t:view")
    }

    /// Never a less specific rule: what a table names and this program lacks is an error, not another page.
    @Test func missingTargetsGoOnlyToTheFallback() throws {
        let bus = try fixture(allowing: ["t:view", "t:rest"])
        try bus.setResolver(of: "t") { request in
            if request.target == "t:rest" { return "rest" }
            try request.refuse(.noTarget, "no such view")
            return nil
        }
        #expect(try bus.open("app://route/other").value == "rest")
        let missing = error { _ = try bus.open(url) }
        #expect((missing?.status, missing?.message) == (.noTarget, "no such view"))
        try bus.setPerformerFallback { request in
            if request.origin == .local { return .string("fallback of \(request.target)") }
            try request.decline()
            return nil
        }
        #expect(try bus.open(url).value == "fallback of t:view")
        #expect(status { _ = try bus.open(url, origin: .remote) } == .noTarget)
    }

    @Test func aSilentResolverHasOpenedTheURL() throws {
        let bus = try fixture()
        try bus.setResolver(of: "t") { _ in nil }
        #expect(try bus.open(url).value == .null)
        #expect(status { try bus.perform("t:view") } == .noReply)
    }

    @Test func anAsynchronousOpenIsPerformedOnAWorker() throws {
        let bus = try fixture()
        #expect(try bus.openAsync(url, origin: .remote).wait().value.mapValue?["selector"] == "open")
        try bus.setResolver(of: "t", isWorkerOnly: true) { request in .string(request.target) }
        #expect(try bus.open(url).value == "t:view")
    }

    @Test func aPageThatNobodyMayHaveAfterADeclineIsDeniedPlainly() throws {
        let bus = try fixture()
        let rules = [
            Value.rule("search", "/search", ["target": "t:view"]),
            Value.rule("rest", "/*rest", ["target": "t:rest", "visibility": "private"]),
        ]
        try bus.loadRules(Value.document(rules, webHosts: []).json())
        try bus.handleRule("search") { request in
            try request.decline()
            return nil
        }
        #expect(
            error { _ = try bus.open("app://route/search", origin: .remote) }?.message.contains("is not public") == true
        )
    }
}
