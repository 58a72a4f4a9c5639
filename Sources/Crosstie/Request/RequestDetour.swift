/// What few requests need: those with interceptors of their own, those that somebody declined, and those that were
/// rewritten.
package final class RequestDetour {
    private let own: InterceptorChain?
    /// Where, when and to whom it goes, if its caller has said so.
    var delivery: RequestDelivery?
    /// What runs in its stead: for a block that is no request, or one that has no handler.
    var job: (any Job)?
    /// Who has declined: routes, and handlers that stand under no pattern.
    private var declined: [Handle] = []
    /// The ids of rules that have: the same rule stands in another table by another registration.
    private var declinedRules: [String] = []
    /// How many of those are providers that cannot serve it, which are as if they were not there.
    private var unable = 0
    /// What the last of the performer's handlers had to say that left it to the next one.
    var refusal: HandlerRefusal?
    /// The URL that the request shall go on with.
    var rewritten: [UInt8]?
    var rewrites = 0
    /// What is wrong with the URL, if that is a foreign one.
    var malformation: ParseFailure?
    /// How often interceptors have set the parameters, and the user info.
    var parameterChanges = 0
    var userInfoChanges = 0
    /// What the request had before, for those who hold it and may still be looking.
    private var patterns: [PatternInfo] = []
    private var rules: [LoadedRule] = []
    private var areas: [UnsafeMutableRawPointer] = []

    /// So many handlers may decline: each time the better ones are passed over anew.
    static var maximumDeclines: Int { 64 }

    /// Each may be set so often: what was there before is kept.
    static var maximumChanges: Int { 64 }

    /// A rewrite leads to a rewrite so often; then it is taken for a loop.
    static var maximumRewrites: Int { 8 }

    /// Takes the interceptors.
    init(_ interceptors: InterceptorChain? = nil) { own = interceptors }

    /// The request's own interceptors, or those that it shares with others.
    var interceptors: InterceptorChain? { own ?? delivery?.interceptors?.chain }

    deinit {
        own?.destroy()
        for pattern in patterns { pattern.release() }
        for area in areas { Memory.free(area) }
    }

    private var declines: Int { declined.count + declinedRules.count - unable }

    var hasDeclined: Bool { declines > 0 }

    /// Notes that a match was tried, and has declined. False when too many have.
    func noteDecline(of route: Handle, _ rule: LoadedRule?) -> Bool {
        if let rule { declinedRules.append(rule.rule.id) } else { declined.append(route) }
        return declines <= Self.maximumDeclines
    }

    /// Notes that the provider which is about to decline cannot serve it.
    func noteUnable() { unable += 1 }

    func hasDeclined(_ match: Registration.Pointer) -> Bool {
        guard let rule = match.pointee.rule else {
            return declined.contains(match.pointee.header.handle(.registration))
        }
        return declinedRules.contains(rule.rule.id)
    }

    func forgetDeclines() {
        (declined, declinedRules, unable) = ([], [], 0)
        refusal = nil
    }

    /// Takes a reference to a pattern that the request had.
    func keep(_ pattern: PatternInfo) { patterns.append(pattern) }

    func keep(_ rule: LoadedRule) { rules.append(rule) }

    /// Takes the memory of a URL that needed more of it: text that was lent from there lives as long as the request.
    func keep(_ area: UnsafeMutableRawPointer) { areas.append(area) }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The request's detour, made when it is first needed.
    var detour: RequestDetour {
        if let detour = pointee.detour { return detour }
        let fresh = RequestDetour()
        pointee.detour = fresh
        return fresh
    }
}
