import Synchronization

/// The resolver of opening: the most specific route or rule, and whether the origin may have it.
///
/// Call it inside a read section.
package enum OpenResolver {
    /// Handlers that have declined are skipped one by one, not by their number, because routes come and go while
    /// handlers run.
    ///
    /// Not inlined, so that the matcher's stack is free again while the handler runs.
    @inline(never)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution {
        guard let space = block.pointee.bus.pointee.space else { return .failed(.closed) }
        guard block.pointee.isLocal || !isPrivate(block, space) else { return denied(block, nil) }
        guard block.pointee.flags & RequestFlags.claim == 0 else { return claim(space, block) }
        if block.mustLeave { return block.wayElsewhere ?? .failed(refusal(block, isOurs: true)) }
        var passed = 0
        let used = block.pointee.parts.used
        while true {
            let result = block.match(space.pointee.routes, skipping: passed)
            guard result.outcome == .found, let match = RegistrationRecord.at(result.value) else {
                return leftOver(result, space, block)
            }
            if block.pointee.extras != nil, block.hasDeclined(match) {
                passed &+= 1
                block.pointee.parts.used = used
                continue
            }
            // The best match decides: a private one is never passed over for a public one.
            guard block.pointee.isLocal || match.pointee.isPublic else { return denied(block, match) }
            block.pointee.captureCount = result.captureCount
            block.pointee.matchedSegments = result.matchedSegments
            if match.pointee.traits.contains(.rule) { return resolveRule(match, block) }
            if block.pointee.rule != nil { block.take(nil) }
            return .found(match, match: match)
        }
    }

    /// The provider of a request that is for providers alone.
    @inline(never)
    private static func claim(_ space: RouteSpace.Pointer, _ block: RequestBlock.Pointer) -> Resolution {
        isMalformedOfOurs(block, space) ? .failed(.noHandler) : HandOffResolver.resolve(block)
    }

    /// Whether a malformed URL has a scheme of ours, or one that a provider claims: then nobody gets it.
    private static func isMalformedOfOurs(_ block: RequestBlock.Pointer, _ space: RouteSpace.Pointer) -> Bool {
        guard block.pointee.parts.flags.contains(.foreign) else { return false }
        return block.withParts { space.owns($0) } || HandOffResolver.isAppID(block)
    }

    /// The status of what nobody takes.
    private static func refusal(_ block: RequestBlock.Pointer, isOurs: Bool) -> Status {
        if block.pointee.parts.flags.contains(.foreign) {
            return block.pointee.extras?.malformation?.status ?? .invalidURL
        }
        return isOurs ? .noRoute : .blocked
    }

    /// Whether remote origins may not use the URL's scheme at all.
    private static func isPrivate(_ block: RequestBlock.Pointer, _ space: RouteSpace.Pointer) -> Bool {
        !space.pointee.privateSchemes.isEmpty
            && space.pointee.privateSchemes.contains(block.pointee.parts.text(block.pointee.parts.scheme))
    }

    /// The origin may not open the match, and no rule led to it.
    @inline(never)
    private static func denied(_ block: RequestBlock.Pointer, _ match: RegistrationRecord.Pointer?) -> Resolution {
        if block.pointee.rule != nil { block.take(nil) }
        block.pointee.verdict = match == nil ? .privateScheme : .privateRoute
        // The words for it look up the route's pattern, if it is still there.
        if let match {
            let route = match.pointee.header.handle(.registration)
            (block.pointee.route, block.pointee.routeHandler) = (route, Handle(bits: 0))
        }
        return .failed(.denied)
    }

    /// Checks a rule's parameters, and finds its handler: its own one, the performer, or the bus's navigator.
    @inline(never)
    private static func resolveRule(_ match: RegistrationRecord.Pointer, _ block: RequestBlock.Pointer) -> Resolution {
        guard let rule = match.pointee.rule else { return .failed(.noTarget) }
        block.take(rule)
        guard RuleCheck.accepts(block, rule) else { return .failed(.invalidParameter) }
        let own = rule.handler.load(ordering: .acquiring)
        if own == 0, let performed = PerformResolver.resolve(rule, block) { return performed }
        let handler = own != 0 ? own : block.pointee.bus.pointee.callbackSlots.holder(of: .navigator)
        guard handler != 0, let registration = RegistrationRecord.at(handler) else {
            return .failed(PerformResolver.failure(of: rule, block))
        }
        return .found(registration, match: match)
    }

    /// The handling of a URL that no route and no rule takes.
    @inline(never)
    private static func leftOver(
        _ result: MatchResult, _ space: RouteSpace.Pointer, _ block: RequestBlock.Pointer
    ) -> Resolution {
        if block.pointee.rule != nil { block.take(nil) }
        block.pointee.captureCount = 0
        switch result.outcome {
        case .limit:
            block.pointee.verdict = .exhausted
            return .failed(.limitExceeded)
        case .needsRoom: return .failed(.outOfMemory)
        case .found, .none: break
        }
        guard !isMalformedOfOurs(block, space) else { return .failed(refusal(block, isOurs: true)) }
        if let provider = HandOffResolver.provider(for: block) { return .found(provider, match: provider) }
        if let way = block.wayElsewhere { return way }
        let isOurs = block.withParts { space.owns($0) }
        if !isOurs, let opener = opener(block) { return opener }
        if isOurs, block.pointee.parts.flags.contains(.opaque) { return .failed(.unroutablePath) }
        if let unmatched = willing(block.pointee.bus.pointee.callbackSlots.holder(of: .unmatched), block),
            block.pointee.isLocal || unmatched.pointee.isPublic
        {
            return .found(unmatched, match: unmatched)
        }
        return .failed(refusal(block, isOurs: isOurs))
    }

    /// The system opener, if it may have the URL and has not declined it.
    private static func opener(_ block: RequestBlock.Pointer) -> Resolution? {
        let gate = block.pointee.bus.pointee.systemOpenerGate.load(ordering: .acquiring)
        guard SystemOpenerGate.allows(block, gate) else { return nil }
        let handler = SystemOpenerGate.handler(gate)
        guard handler != 0 else { return .system }
        return willing(handler, block).map { .found($0, match: $0) }
    }

    /// The registration of an index, unless it is 0 or has declined.
    private static func willing(_ index: UInt32, _ block: RequestBlock.Pointer) -> RegistrationRecord.Pointer? {
        guard index != 0, let registration = RegistrationRecord.at(index) else { return nil }
        return block.pointee.extras != nil && block.hasDeclined(registration) ? nil : registration
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The rule by which the request comes now.
    fileprivate func take(_ rule: LoadedRule?) {
        if let before = pointee.rule, before !== rule { extras.keep(before) }
        pointee.rule = rule
    }

    fileprivate func hasDeclined(_ match: RegistrationRecord.Pointer) -> Bool {
        pointee.extras?.hasDeclined(match) == true
    }

    @inline(__always)
    fileprivate func match(_ table: RouteTable, skipping passed: Int) -> MatchResult {
        let result = matchOnce(table, skipping: passed)
        guard result.outcome == .needsRoom, growArea(to: Int(result.value)) else { return result }
        return matchOnce(table, skipping: passed)
    }

    @inline(__always)
    private func matchOnce(_ table: RouteTable, skipping passed: Int) -> MatchResult {
        withParts {
            table.match($0, segments: segments, skip: passed, nearest: pointee.isNearest, into: captures)
        }
    }

    /// Moves the URL's text into a larger area; ranges stay as they are.
    private func growArea(to bytes: Int) -> Bool {
        let used = Int(pointee.parts.used)
        // Each match may need a little more, and the areas before are kept: so it doubles.
        let bytes = max(bytes, min(2 * Int(pointee.parts.capacity), URLLimits.area))
        guard bytes <= URLLimits.area, bytes >= used, let memory = Memory.allocate(bytes) else { return false }
        memory.copyMemory(from: pointee.parts.area, byteCount: used)
        if let before = pointee.overflow { extras.keep(before) }
        pointee.overflow = memory
        pointee.parts.area = memory
        pointee.parts.capacity = UInt32(truncatingIfNeeded: bytes)
        return true
    }
}
