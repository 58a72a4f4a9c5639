import CrosstieConcurrency
import Testing

/// The handlers of rules and callback slots may wait, too.
@Suite struct CallbackSlotTests {
    private static let rules = """
        {"format": 1, "version": "1.0.0", "publicSchemes": ["app"], "privateSchemes": [], "routeHosts": ["h"],
         "webHosts": [], "rules": [
            {"id": "own", "host": "h", "path": "/own/:id", "visibility": "public"},
            {"id": "shown", "host": "h", "path": "/shown", "visibility": "public", "target": "Page"}]}
        """

    private func answer(_ word: String) -> AsyncHandler {
        { request in
            await Task.yield()
            return .string("\(word) \(request.url)")
        }
    }

    @Test func ofURLs() async throws {
        let bus = try Bus()
        try bus.route("app://known") { _ in "route" }
        try bus.setUnmatched(handler: answer("unmatched"))
        try bus.setSystemOpener(schemes: ["mail"], handler: answer("system"))
        #expect(try await bus.open("app://nobody").value == "unmatched app://nobody/")
        #expect(try await bus.open("mail:ada").value == "system mail:ada")
    }

    @Test func ofRules() async throws {
        let bus = try Bus()
        try bus.loadRules(Self.rules)
        try bus.handleRule("own", handler: answer("own"))
        try bus.setNavigator(handler: answer("navigator"))
        #expect(try await bus.open("app://h/own/1").value == "own app://h/own/1")
        #expect(try await bus.open("app://h/shown").value == "navigator app://h/shown")
    }

    @Test func ofThePerformer() async throws {
        let bus = try Bus()
        for target in ["test:x", "other:x"] { try bus.allow(target) }
        try bus.setResolver(of: "test") { (request: Request) async throws in
            await Task.yield()
            guard request.action == "go" else {
                try request.refuse(.noAction)
                return nil
            }
            return .string("resolved \(request.target)")
        }
        try bus.setPerformerFallback { (request: Request) async in
            await Task.yield()
            return .string("fallback \(request.target)")
        }
        #expect(try await bus.perform("test:x", "go").value == "resolved test:x")
        #expect(try await bus.perform("other:x", "go").value == "fallback other:x")
        let error = await #expect(throws: CrosstieError.self) { try await bus.perform("test:x", "stop") }
        #expect(error?.status == .noAction)
    }
}
