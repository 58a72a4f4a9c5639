import Synchronization

/// The routes of a bus: in the table, or behind the rule that they are for. With the bus's lock held.
extension BusState {
    /// The position of a route.
    enum RouteDestination {
        case table
        /// The rule that the route is for is in the table already; the route handles it.
        case behind(LoadedRule)
    }

    /// A pattern's text, read with this bus's default scheme.
    func pattern(_ text: UnsafeRawBufferPointer) throws(CrosstieError) -> Pattern {
        try Pattern(text, orUnder: defaultScheme)
    }

    /// Finds the position of a new route.
    ///
    /// - Throws: *conflict* where it may not be; *invalidIdentifier* for its name, or the id of its rule.
    func destination(
        for pattern: Pattern, _ spec: RouteSpec, in table: RouteTable
    ) throws(CrosstieError) -> RouteDestination {
        try check(spec, pattern, table)
        guard spec.isReplacing || !spec.rule.isEmpty else { return .table }
        let taken = table.value(of: pattern).flatMap { RegistrationRecord.at($0)?.pointee.rule }
        if let rule = rules?.rule(ofId: spec.rule) {
            guard taken === rule else {
                throw CrosstieError(
                    .conflict, "\(pattern.description) has not the shape of the rule \(spec.rule), which it is for",
                    at: "rule")
            }
            return .behind(rule)
        }
        guard let taken else { return .table }
        throw CrosstieError(.conflict, "\(pattern.description) has the shape of the rule \(taken.rule.id)")
    }

    /// A name and a rule are one route's, unless that is the one to be replaced.
    private func check(_ spec: RouteSpec, _ pattern: Pattern, _ table: RouteTable) throws(CrosstieError) {
        if !spec.name.isEmpty {
            try Name.check(spec.name)
            guard mayTakeOver(names[spec.name], spec, pattern, table) else {
                throw CrosstieError(.conflict, "the name \(spec.name) is taken", at: "name")
            }
        }
        guard !spec.rule.isEmpty else { return }
        try Name.check(spec.rule, "an id", at: "rule")
        guard mayTakeOver(ruleHandlers.registrations[spec.rule], spec, pattern, table) else {
            throw CrosstieError(.conflict, "the rule \(spec.rule) has a handler", at: "rule")
        }
    }

    private func mayTakeOver(
        _ other: UInt32?, _ spec: RouteSpec, _ pattern: Pattern, _ table: RouteTable
    ) -> Bool {
        guard let other else { return true }
        return spec.isReplacing && route(of: pattern, in: table)?.pointee.header.index == other
    }

    /// Notes the name and the rule of a route that is in its position.
    func note(_ index: UInt32, _ spec: RouteSpec, _ pattern: Pattern) {
        if !spec.name.isEmpty { names[spec.name] = index }
        if !spec.rule.isEmpty { ruleHandlers.add(index, to: spec.rule) }
        webHosts.count(pattern, by: 1)
    }

    /// Whether routes or rules are for a host of the web, which is in its normal form.
    func concernsWebHost(_ host: String) -> Bool {
        webHosts.concern(host) || rules?.document.webHosts.contains(host) == true
    }

    /// Inserts a route. Returns the one that it replaces, whose handle is no longer valid.
    func put(
        _ registration: RegistrationRecord.Pointer, _ pattern: Pattern, at destination: RouteDestination,
        in table: RouteTable,
        replacing: Bool
    ) throws(CrosstieError) -> RegistrationRecord.Pointer? {
        let index = registration.pointee.header.index
        var replaced: RegistrationRecord.Pointer?
        switch destination {
        case .behind(let rule):
            let before = rule.handler.exchange(index, ordering: .acquiringAndReleasing)
            replaced = before == 0 ? nil : RegistrationRecord.at(before)
        case .table:
            let outcome = try table.insert(pattern, value: index, replacing: replacing, grace: ReadSide.waitForReaders)
            replaced = try displaced(by: outcome, pattern)
        }
        if let replaced { forget(replaced, self.pattern(of: replaced) ?? pattern) }
        routes.insert(index)
        return replaced
    }

    /// The registration that an insertion replaced; throws for a conflict.
    private func displaced(
        by outcome: RouteTable.InsertResult, _ pattern: Pattern
    ) throws(CrosstieError) -> RegistrationRecord.Pointer? {
        switch outcome {
        case .inserted:
            return nil
        case .replaced(let index):
            return RegistrationRecord.at(index)
        case .conflict(let index):
            let other = RegistrationRecord.at(index)
            let name = other?.pointee.rule.map { "rule \($0.rule.id)" } ?? "route \(other?.route?.pattern ?? "")"
            throw CrosstieError(.conflict, "\(pattern.description) has the shape of the \(name)")
        }
    }

    /// The route of a pattern's shape.
    func route(of pattern: Pattern, in table: RouteTable) -> RegistrationRecord.Pointer? {
        guard let index = table.value(of: pattern), let registration = RegistrationRecord.at(index) else { return nil }
        guard let rule = registration.pointee.rule else { return registration }
        let handler = rule.handler.load(ordering: .relaxed)
        guard routes.contains(handler), let route = RegistrationRecord.at(handler) else { return nil }
        // The rule has more patterns than the route: one for each scheme and each web host.
        return self.pattern(of: route)?.sharesHost(with: pattern) == true ? route : nil
    }

    /// A registration's pattern, read again: only its text is kept.
    private func pattern(of registration: RegistrationRecord.Pointer) -> Pattern? {
        registration.pointee.pattern.flatMap { try? pattern($0.text) }
    }

    /// Takes a route off its bus.
    func unlink(_ registration: RegistrationRecord.Pointer, from table: RouteTable) {
        guard let pattern = pattern(of: registration) else { return }
        unlink(registration, pattern, from: table)
    }

    func unlink(_ registration: RegistrationRecord.Pointer, _ pattern: Pattern, from table: RouteTable) {
        let index = registration.pointee.header.index
        if table.value(of: pattern) == index {
            table.remove(pattern)
        } else if let id = ruleHandlers.id(of: index) {
            rules?.rule(ofId: id)?.handler.store(0, ordering: .releasing)
        }
        forget(registration, pattern)
    }

    /// Forgets a route that was removed: its handle dies, its name is free.
    private func forget(_ registration: RegistrationRecord.Pointer, _ pattern: Pattern) {
        let index = registration.pointee.header.index
        routes.remove(index)
        webHosts.count(pattern, by: -1)
        _ = ruleHandlers.remove(index)
        if let name = registration.pointee.pattern?.routeName, names[name] == index { names[name] = nil }
        registration.leaveBus()
    }
}
