/// What few requests need: those with interceptors of their own, those that somebody declined, and those that were
/// rewritten.
package final class RequestDetour {
    /// The request's own interceptors.
    let interceptors: InterceptorChain?
    /// Who has declined: rows of the table, and handlers that stand in none.
    var declined: [Handle] = []
    /// The URL that the request shall go on with.
    var rewritten: [UInt8]?
    var rewrites = 0
    /// What the request had before, for those who hold it and may still be looking.
    private var patterns: [PatternInfo] = []
    private var rules: [LoadedRule] = []

    /// A rewrite leads to a rewrite so often; then it is taken for a loop.
    static var maximumRewrites: Int { 8 }

    init(_ interceptors: InterceptorChain? = nil) { self.interceptors = interceptors }

    deinit {
        interceptors?.destroy()
        for pattern in patterns { pattern.release() }
    }

    /// Takes a reference to a pattern that the request had.
    func keep(_ pattern: PatternInfo) { patterns.append(pattern) }

    func keep(_ rule: LoadedRule) { rules.append(rule) }
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
