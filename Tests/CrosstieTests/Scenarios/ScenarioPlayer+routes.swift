@testable import Crosstie
@testable import CrosstieWormhole

/// Buses, routes, opening and generating.
extension ScenarioPlayer {
    func bus(_ step: ScenarioStep) throws -> Bus { try find(Bus.self, step.text("bus", or: "bus")) }

    func makeBus(_ step: ScenarioStep) throws {
        let bus = step.has("shared") ? try Bus.shared(step.text("shared")) : try Bus(options: busOptions(step))
        try step.expectStatus(.ok)
        add(bus, as: step.text("as", or: "bus"))
    }

    private func busOptions(_ step: ScenarioStep) -> BusOptions {
        var options = BusOptions(name: step.text("name"), defaultScheme: step.text("default_scheme"))
        if let workers = step.number("max_workers") { options.maximumWorkers = Int(workers) }
        if let queued = step.number("max_queued") { options.maximumQueued = Int(queued) }
        options.countsHits = step.flag("count_hits")
        options.keepsStats = step.flag("stats")
        options.matchMode = step.mode("match")
        return options
    }

    func close(_ step: ScenarioStep) throws {
        if step.has("wormhole") {
            try step.expectStatus(wormhole(step).close())
            giveUp(Wormhole.self, step.text("wormhole"))
        } else {
            try step.expectStatus(bus(step).close())
        }
    }

    func addRoute(_ step: ScenarioStep) throws {
        let handler = ScenarioHandler(self, step, otherwise: step.text("pattern"))
        let registered = try bus(step).route(
            step.text("pattern"), name: step.text("name"), rule: step.text("rule"), isPublic: step.flag("public"),
            isWorkerOnly: step.flag("worker_only"), isReplacing: step.flag("replace"), remark: step.text("remark"),
            interceptors: interceptors(step), handler: handler.handle)
        try step.expectStatus(.ok)
        add(registered, as: step.text("as"))
    }

    /// The interceptors that a step names.
    func interceptors(_ step: ScenarioStep) -> [Handler] {
        (step.data["interceptors"]?.listValue ?? []).map { actions in
            ScenarioHandler(self, bus: step.text("bus", or: "bus"), actions).handle
        }
    }

    func remove(_ step: ScenarioStep) throws {
        if step.has("registration") {
            try step.expectStatus(find(Registration.self, step.text("registration")).remove())
        } else if step.has("pattern") {
            try step.expectStatus(bus(step).removeRoute(step.text("pattern")))
        } else {
            try step.expectStatus(removeComponent(step))
        }
    }

    func listRoutes(_ step: ScenarioStep) throws {
        let routes = try bus(step).routes().map { route -> Value in
            var map = ValueMap([
                ("pattern", .string(route.pattern)), ("name", .string(route.name)), ("remark", .string(route.remark)),
                ("public", .bool(route.isPublic)), ("worker_only", .bool(route.isWorkerOnly)),
            ])
            if !route.rule.isEmpty { map["rule"] = .string(route.rule) }
            map["hits"] = route.hits.map(Value.int)
            return .map(map)
        }
        try step.expectValue(.list(routes))
    }

    func canOpen(_ step: ScenarioStep) throws {
        let opener = try bus(step).canOpen(
            step.text("url"), origin: step.origin, mode: step.mode("mode"), anywhere: step.flag("anywhere"))
        try step.expectText("opener", "\(opener)")
    }

    func generate(_ step: ScenarioStep) throws {
        let bus = step.has("bus") ? try bus(step) : try Bus()
        try step.expectText("url", bus.generate(step.text("pattern"), step.value("params")))
        try step.expectStatus(.ok)
    }

    func generateNamed(_ step: ScenarioStep) throws {
        let url = try bus(step).generate(named: step.text("name"), step.value("params"), query: step.value("query"))
        try step.expectText("url", url)
        try step.expectStatus(.ok)
    }
}
