/// The options of a new bus.
public struct BusOptions: Sendable {
    /// For the log and for people; at most 128 bytes.
    public var name: String
    /// The scheme of patterns and URLs that begin with a slash; empty: such ones are refused.
    public var defaultScheme: String
    /// Threads for asynchronous requests at most, 1 to 1,024.
    public var maximumWorkers: Int
    /// Asynchronous requests that may wait, 1 to 1,048,576.
    public var maximumQueued: Int
    /// Of opens that name none.
    public var matchMode: MatchMode
    /// Whether it counts how often each route's handler is started, for ``Bus/routes()``.
    public var countsHits: Bool
    /// Whether it has the process's static components: see `StaticComponents`.
    public var hasStaticComponents: Bool
    /// Whether it counts and times requests, for ``Bus/stats()``.
    public var keepsStats: Bool

    public init(
        name: String = "", defaultScheme: String = "", maximumWorkers: Int = 64, maximumQueued: Int = 65_536,
        matchMode: MatchMode = .exact, countsHits: Bool = false, hasStaticComponents: Bool = false,
        keepsStats: Bool = false
    ) {
        self.name = name
        self.defaultScheme = defaultScheme
        self.maximumWorkers = maximumWorkers
        self.maximumQueued = maximumQueued
        self.matchMode = matchMode
        self.countsHits = countsHits
        self.hasStaticComponents = hasStaticComponents
        self.keepsStats = keepsStats
    }

    package func check() throws(CrosstieError) {
        guard name.utf8.count <= 128 else {
            throw CrosstieError(.limitExceeded, "a bus's name has at most 128 bytes", at: "name")
        }
        try dispatcher.check()
        try checkScheme()
    }

    /// The default dispatcher's.
    var dispatcher: DispatcherOptions {
        DispatcherOptions(maximumWorkers: maximumWorkers, maximumQueued: maximumQueued)
    }

    private func checkScheme() throws(CrosstieError) {
        guard !defaultScheme.isEmpty, let problem = SchemeName.problem(in: defaultScheme) else { return }
        throw CrosstieError(
            SchemeName.status(of: problem, else: .invalidURL), "the default scheme is malformed: \(problem.message)",
            at: "default_scheme")
    }
}
