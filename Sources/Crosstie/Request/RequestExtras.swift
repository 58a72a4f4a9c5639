/// The state that few requests need: those with interceptors of their own, with a dispatcher, a loop or a listener, and
/// those that a handler declined or an interceptor rewrote.
package final class RequestExtras {
    private let own: InterceptorChain?
    /// The dispatcher, loop, listener and recipient that the caller has named, if any.
    var delivery: RequestDelivery?
    /// The job that runs in place of a handler: a broadcast makes one request for each component.
    var job: (any Job)?
    /// The routes and other registrations whose handlers have declined.
    private var declined: [Handle] = []
    /// The ids of rules whose handlers have: a reload gives the same rule another registration.
    private var declinedRules: [String] = []
    /// The number of those that are providers which cannot serve the request, and so do not count.
    private var unable = 0
    /// The reason of the performer's handler that last left the request to the next one.
    var refusal: HandlerRefusal?
    /// The URL with which the request has to go on.
    var rewritten: [UInt8]?
    var rewrites = 0
    /// The error in the URL, if that is a foreign one.
    var malformation: ParseFailure?
    /// The times that interceptors have set the parameters, and the user info.
    var parameterChanges = 0
    var userInfoChanges = 0
    /// Parts that the request had before. A host that retains it may still be reading them.
    private var patterns: [PatternInfo] = []
    private var rules: [LoadedRule] = []
    private var areas: [UnsafeMutableRawPointer] = []

    /// The most handlers that may decline: each time the better ones are skipped again.
    static var maximumDeclines: Int { 64 }

    /// The most times that each may be set: the values from before are kept.
    static var maximumChanges: Int { 64 }

    /// The most rewrites that follow one another; more are a loop.
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

    /// Notes that the handler of a match has declined. False when too many have.
    func noteDecline(of route: Handle, _ rule: LoadedRule?) -> Bool {
        if let rule { declinedRules.append(rule.rule.id) } else { declined.append(route) }
        return declines <= Self.maximumDeclines
    }

    /// Notes that the provider which is about to decline cannot serve it.
    func noteUnable() { unable += 1 }

    func hasDeclined(_ match: RegistrationRecord.Pointer) -> Bool {
        guard let rule = match.pointee.rule else {
            return declined.contains(match.pointee.header.handle(.registration))
        }
        return declinedRules.contains(rule.rule.id)
    }

    func forgetDeclines() {
        (declined, declinedRules, unable) = ([], [], 0)
        refusal = nil
    }

    /// Takes the request's reference to a pattern.
    func keep(_ pattern: PatternInfo) { patterns.append(pattern) }

    func keep(_ rule: LoadedRule) { rules.append(rule) }

    /// Takes the memory of a long URL: text that was lent from there lives as long as the request.
    func keep(_ area: UnsafeMutableRawPointer) { areas.append(area) }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The request's extras, made when they are first needed.
    var extras: RequestExtras {
        if let extras = pointee.extras { return extras }
        let fresh = RequestExtras()
        pointee.extras = fresh
        return fresh
    }
}
