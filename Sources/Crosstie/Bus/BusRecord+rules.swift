import Synchronization

/// Loading rules, and handling them.
extension BusRecord {
    /// Replaces the document. An open sees one of them whole.
    ///
    /// - Parameter rollback: whether it may have a lower version than that.
    /// - Throws: *incompatibleVersion* for one lower than that; *conflict* where a rule and a route have one shape, or a route that
    ///   is for a rule has another shape; *outOfMemory*; *invalidHandle*. Nothing has changed then.
    package static func loadRules(
        _ handle: Handle, _ document: RuleDocument, rollback: Bool = false
    ) throws(CrosstieError) {
        let (space, rules) = try withState(handle) { bus, state throws(CrosstieError) in
            if !rollback { try state.checkVersion(of: document) }
            let fresh = LoadedRules(document: document, registrations: try registrations(for: document, on: bus))
            let table: RouteTable
            do throws(CrosstieError) {
                table = try state.table(with: fresh)
            } catch {
                for registration in fresh.registrations { registration.discard() }
                throw error
            }
            return replaceRules(of: bus, state, by: fresh, table)
        }
        RegistrationRecord.Pointer.endAll(rules)
        space?.free()
    }

    /// Takes the rule table away: the bus is as if there had never been one, and any version may come next.
    ///
    /// - Throws: *notFound* where there is none; *outOfMemory*; *invalidHandle*.
    package static func unloadRules(_ handle: Handle) throws(CrosstieError) {
        let (space, rules) = try withState(handle) { bus, state throws(CrosstieError) in
            guard state.rules != nil else { throw CrosstieError(.notFound, "no rule table is loaded") }
            return replaceRules(of: bus, state, by: nil, try state.table(with: nil))
        }
        RegistrationRecord.Pointer.endAll(rules)
        space?.free()
    }

    /// With the lock held. Returns the table before, which may still be read.
    private static func replaceRules(
        of bus: Pointer, _ state: BusState, by fresh: LoadedRules?, _ table: RouteTable
    ) -> (RouteSpace.Pointer?, [RegistrationRecord.Pointer]) {
        let before = state.rules?.registrations ?? []
        for registration in before { registration.leaveBus() }
        state.rules = fresh
        return (publish(table, fresh?.document, state.defaultScheme, on: bus), before)
    }

    /// Gives the space before, which may still be read.
    private static func publish(
        _ table: RouteTable, _ document: RuleDocument?, _ defaultScheme: String, on bus: Pointer
    ) -> RouteSpace.Pointer? {
        let space = RouteSpace.make(
            table, privateSchemes: document?.privateSchemes ?? [], publicSchemes: document?.publicSchemes ?? [],
            defaultScheme: defaultScheme)
        let before = bus.pointee.spaceAddress.exchange(UInt(bitPattern: space), ordering: .acquiringAndReleasing)
        return RouteSpace.Pointer(bitPattern: before)
    }

    private static func registrations(
        for document: RuleDocument, on bus: Pointer
    ) throws(CrosstieError) -> [RegistrationRecord.Pointer] {
        var made: [RegistrationRecord.Pointer] = []
        made.reserveCapacity(document.rules.count)
        do throws(CrosstieError) {
            for (index, rule) in document.rules.enumerated() {
                let text = document.patterns(ofRule: index).first ?? rule.pattern(scheme: "rule")
                let pattern = try withBytes(of: text) { bytes throws(CrosstieError) in try Pattern(bytes) }
                let content = RegistrationContent(rule: try LoadedRule(rule, pattern: pattern))
                guard let registration = RegistrationRecord.make(content, on: bus) else {
                    throw CrosstieError(.outOfMemory, "no room for another registration")
                }
                made.append(registration)
            }
            return made
        } catch {
            for registration in made { registration.discard() }
            throw error
        }
    }

    /// Registers the handler of the rule of an id. The content is destroyed if this fails.
    package static func handleRule(
        _ handle: Handle, id: String, _ content: RegistrationContent
    ) throws(CrosstieError) -> Handle {
        do throws(CrosstieError) {
            try Name.check(id, "an id", at: "id")
            return try withState(handle) { bus, state throws(CrosstieError) in
                guard state.ruleHandlers.registrations[id] == nil else {
                    throw CrosstieError(.conflict, "the rule \(id) has a handler, or a route is for it", at: "id")
                }
                var content = content
                content.name = id
                guard let registration = RegistrationRecord.make(content, on: bus) else {
                    throw CrosstieError(.outOfMemory, "no room for another registration")
                }
                state.linkRuleHandler(registration.pointee.header.index, id: id)
                return registration.pointee.header.handle(.registration)
            }
        } catch {
            content.destroy()
            throw error
        }
    }
}

/// With the bus's lock held.
extension BusState {
    fileprivate func checkVersion(of document: RuleDocument) throws(CrosstieError) {
        guard let current = rules?.document.version, document.version < current else { return }
        throw CrosstieError(
            .incompatibleVersion, "the version \(document.version) is lower than \(current), which is loaded",
            at: "version")
    }

    /// A table of all routes and of a document's rules, whose handlers are found.
    fileprivate func table(with fresh: LoadedRules?) throws(CrosstieError) -> RouteTable {
        guard let table = RouteTable.create(reserving: routes.count + (fresh?.document.patternCount ?? 0)) else {
            throw CrosstieError(.outOfMemory, "no memory for a route table")
        }
        do throws(CrosstieError) {
            for index in routes { try insertRoute(index, into: table) }
            if let fresh {
                for pattern in fresh.document.patterns { try insert(pattern, of: fresh, into: table) }
                try findHandlers(of: fresh)
            }
            return table
        } catch {
            table.destroy()
            throw error
        }
    }

    private func insertRoute(_ index: UInt32, into table: RouteTable) throws(CrosstieError) {
        guard let info = RegistrationRecord.at(index)?.pointee.pattern else { return }
        _ = try table.insert(try pattern(info.text), value: index, grace: {})
    }

    private func insert(_ rulePattern: RulePattern, of fresh: LoadedRules, into table: RouteTable) throws(CrosstieError)
    {
        let pattern = try withBytes(of: rulePattern.pattern) { bytes throws(CrosstieError) in try Pattern(bytes) }
        let registration = fresh.registrations[rulePattern.rule]
        let index = registration.pointee.header.index
        guard case .conflict(let taken) = try table.insert(pattern, value: index, grace: {}) else { return }
        let id = fresh.document.rules[rulePattern.rule].id
        guard ruleHandlers.id(of: taken) == id else {
            let name = RegistrationRecord.at(taken)?.route?.pattern ?? ""
            throw CrosstieError(
                .conflict, "the rule \(id) has the shape of the route \(name)", at: "rules[\(rulePattern.rule)].path")
        }
        registration.pointee.rule?.handler.store(taken, ordering: .relaxed)
        _ = try table.insert(pattern, value: index, replacing: true, grace: {})
    }

    /// Handlers under a rule's id handle it; a route that is for it must have turned out to have its shape.
    private func findHandlers(of fresh: LoadedRules) throws(CrosstieError) {
        for (id, index) in ruleHandlers.registrations {
            guard let position = fresh.document.index(ofId: id) else { continue }
            let rule = fresh.registrations[position].pointee.rule
            if !routes.contains(index) {
                rule?.handler.store(index, ordering: .relaxed)
            } else if rule?.handler.load(ordering: .relaxed) != index {
                throw CrosstieError(
                    .conflict, "the route for the rule \(id) has not its shape",
                    at: "rules[\(position)].path")
            }
        }
    }

    fileprivate func linkRuleHandler(_ index: UInt32, id: String) {
        ruleHandlers.add(index, to: id)
        rules?.rule(ofId: id)?.handler.store(index, ordering: .releasing)
    }

    /// Takes a rule's handler off its bus. False when it is none.
    func unlinkRuleHandler(_ index: UInt32) -> Bool {
        guard let id = ruleHandlers.remove(index) else { return false }
        rules?.rule(ofId: id)?.handler.store(0, ordering: .releasing)
        return true
    }
}
