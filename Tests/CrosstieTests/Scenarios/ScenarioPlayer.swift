import Synchronization

@testable import Crosstie
@testable import CrosstieWormhole

/// Plays the steps of one scenario, up to the first that does not come out as expected.
final class ScenarioPlayer: Sendable {
    let directory: String
    /// Whether wormholes are kept in memory, whatever the steps say.
    let isInMemory: Bool
    private let state = Mutex(State())

    private struct State {
        var things: [String: any Sendable] = [:]
        var notes: [Value] = []
        var gates = ScenarioGates()
        var failure: Unexpected?
    }

    init(directory: String, isInMemory: Bool = false) {
        self.directory = directory
        self.isInMemory = isInMemory
    }

    func play(_ steps: [Value]) async throws {
        for (number, data) in steps.enumerated() {
            do {
                try await play(ScenarioStep(data: data))
                if let failure { throw failure }
            } catch {
                await end()
                throw Unexpected("step \(number + 1): \(error)")
            }
        }
        await end()
        if let failure { throw failure }
    }

    func play(_ step: ScenarioStep) async throws {
        do {
            try await perform(step)
        } catch let error as CrosstieError {
            try step.expect("status (\(error))", error.status.shortName, step.text("status", or: "OK"))
            try step.expectText("location", error.location)
            try step.expectSaid(error.message)
            return
        }
    }

    /// Closes what the scenario has left open, and looks for events that no step expected.
    private func end() async {
        openAllGates()
        for bus in all(Bus.self) { bus.close() }
        for wormhole in all(Wormhole.self) { wormhole.close() }
        for log in all(ScenarioListener.self) where log.hasMore {
            fail("the listener \(log.name) received something that no step expects")
        }
        for process in all(ScenarioProcess.self) where await !process.join() {
            fail("another process ended with a failure")
        }
        state.withLock { $0.things = [:] }
    }

    // MARK: What a scenario calls by a name

    func add<Thing: Sendable>(_ thing: Thing, as name: String) {
        state.withLock { $0.things["\(Thing.self) \(name)"] = thing }
    }

    func lookUp<Thing: Sendable>(_ kind: Thing.Type, _ name: String) -> Thing? {
        state.withLock { $0.things["\(kind) \(name)"] as? Thing }
    }

    func find<Thing: Sendable>(_ kind: Thing.Type, _ name: String) throws -> Thing {
        guard let thing = lookUp(kind, name) else { throw Unexpected("there is no \(kind) \(name)") }
        return thing
    }

    func giveUp<Thing: Sendable>(_ kind: Thing.Type, _ name: String) {
        // Released outside the lock: its end may call back.
        let thing = state.withLock { $0.things.removeValue(forKey: "\(kind) \(name)") }
        withExtendedLifetime(thing) {}
    }

    private func all<Thing: Sendable>(_ kind: Thing.Type) -> [Thing] {
        state.withLock { $0.things.values.compactMap { $0 as? Thing } }
    }

    // MARK: What handlers note

    func note(_ value: Value) { state.withLock { $0.notes.append(value) } }

    var noteCount: Int { state.withLock { $0.notes.count } }

    func takeNotes() -> [Value] {
        state.withLock { state in
            defer { state.notes = [] }
            return state.notes
        }
    }

    // MARK: Where handlers are registered

    var gates: ScenarioGates { state.withLock { $0.gates } }

    func change(_ body: (inout ScenarioGates) -> Void) { state.withLock { body(&$0.gates) } }

    // MARK: Failures and waiting

    var failure: Unexpected? { state.withLock { $0.failure } }

    func fail(_ description: String) {
        state.withLock { $0.failure = $0.failure ?? Unexpected(description) }
    }

    /// Takes up what a check has found.
    func check(_ body: () throws -> Void) {
        do { try body() } catch { fail("\(error)") }
    }

    /// Waits, for as long as a slow machine may need, until `find` finds something. It holds no thread.
    func wait<Found>(for what: String, _ find: () throws -> Found?) async throws -> Found {
        for _ in 0..<30_000 {
            if let found = try find() { return found }
            if let failure { throw failure }
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        throw Unexpected("\(what) did not come")
    }
}

extension ScenarioPlayer {
    private func perform(_ step: ScenarioStep) async throws {
        switch step.text("do") {
        case "bus": try makeBus(step)
        case "close": try close(step)
        case "route": try addRoute(step)
        case "remove": try remove(step)
        case "clear": try step.expectStatus(bus(step).clearRoutes())
        case "routes": try listRoutes(step)
        case "open", "call", "perform": try request(step)
        case "can_open": try canOpen(step)
        case "generate": try generate(step)
        case "generate_named": try generateNamed(step)
        case "unmatched": try setUnmatched(step)
        case "system_opener": try setSystemOpener(step)
        case "interceptor": try addInterceptor(step)
        case "noted": try await expectNoted(step)
        default: try await performCall(step)
        }
    }

    private func performCall(_ step: ScenarioStep) async throws {
        switch step.text("do") {
        case "component": try addComponent(step)
        case "components": try listComponents(step)
        case "components_anywhere": try listComponentsAnywhere(step)
        case "broadcast": try broadcast(step)
        case "dispatcher": try addDispatcher(step)
        case "cancel_all": try cancelAll(step)
        case "allow": try allow(step)
        case "resolver": try setResolver(step)
        case "fallback": try setFallback(step)
        case "release": try releasePerformer(step)
        case "stats": try expectStatistics(step)
        default: try await performRule(step)
        }
    }

    private func performRule(_ step: ScenarioStep) async throws {
        switch step.text("do") {
        case "rules": try loadRules(step, on: bus(step))
        case "unload_rules": try unloadRules(step)
        case "rules_document": try expectDocument(step)
        case "rules_convert": try convertRules(step)
        case "rule": try handleRule(step)
        case "navigator": try setNavigator(step)
        case "generate_rule": try generateRule(step)
        default: try await performValue(step)
        }
    }

    private func performValue(_ step: ScenarioStep) async throws {
        switch step.text("do") {
        case "from_json": try step.expectValue(Value(json: step.text("text")))
        case "to_json": try step.expectText("text", step.value("value").json())
        case "from_msgpack": try step.expectValue(Value(messagePack: ScenarioStep.bytes(ofHex: step.text("hex"))))
        case "to_msgpack": try step.expectText("hex", ScenarioStep.hex(step.value("value").messagePack()))
        default: try await performProvider(step)
        }
    }

    private func performProvider(_ step: ScenarioStep) async throws {
        switch step.text("do") {
        case "provider": try addProvider(step)
        case "providers": try listProviders(step)
        case "set_providers": try setProviders(step)
        case "move_provider": try moveProvider(step)
        case "remove_provider": try removeProvider(step)
        case "share", "oauth", "launch": try request(step)
        case "share_async", "oauth_async", "launch_async": try await requestAsync(step)
        case "provider_open_url", "provider_open_activity": try openByProvider(step)
        case "log": try noteLog(step)
        case "provider_log": try logForProvider(step)
        case "redirect_log": try redirectLog(step)
        default: try await performRequest(step)
        }
    }

    private func performRequest(_ step: ScenarioStep) async throws {
        switch step.text("do") {
        case "open_async", "call_async", "broadcast_async", "perform_async": try await requestAsync(step)
        case "wait": try await wait(step)
        case "cancel": try cancel(step)
        case "taken": _ = try await kept(step)
        case "act": try await act(step)
        case "blocked": try await blocked(step)
        case "unblock": unblock(step)
        case "end": try await kept(step).request.reply(step.value("value"))
        case "release_request": try await releaseRequest(step)
        case "process": try await startProcess(step)
        case "join": try await join(step)
        case "die": ScenarioProcess.die()
        case "join_bus": try joinBus(step)
        case "leave": try leave(step)
        case "set_exports": try setExports(step)
        case "peers": try await expectPeers(step)
        case "table": try await playTable(step)
        default: try await performMessage(step)
        }
    }

    private func performMessage(_ step: ScenarioStep) async throws {
        switch step.text("do") {
        case "wormhole": try openWormhole(step)
        case "send_many": try sendMany(step)
        case "send": try send(step)
        case "scheduled": try expectScheduled(step)
        case "cancel_scheduled": try cancelScheduled(step)
        case "identifiers": try listIdentifiers(step)
        case "acknowledge", "reject": try reconcile(step)
        case "forget": try forget(step)
        case "declare": try declare(step)
        case "durables": try expectDurables(step)
        case "seek": try seek(step)
        case "members": try expectMembers(step)
        case "signal": try step.expectSent(wormhole(step).signal(step.text("id")))
        case "message": try message(step)
        case "destroy": try step.expectSent(wormhole(step).destroy(step.text("id")))
        case "destroy_all": try step.expectSent(wormhole(step).destroyAll())
        case "listen": try listen(step)
        case "unlisten": try unlisten(step)
        case "listeners": try expectListeners(step)
        case "events": try await expectEvents(step)
        case "newest": try await expectNewest(step)
        default:
            guard try resolveDead(step) else { throw Unexpected("no such step: \(step.text("do"))") }
        }
    }
}
