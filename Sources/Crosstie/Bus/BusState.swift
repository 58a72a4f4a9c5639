/// How a new bus shall be.
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
    /// Whether it has the process's static components: see ``StaticComponents``.
    public var hasStaticComponents: Bool
    /// Whether it counts and times requests, for ``Bus/stats()``.
    public var countsTime: Bool

    public init(
        name: String = "", defaultScheme: String = "", maximumWorkers: Int = 64, maximumQueued: Int = 65_536,
        matchMode: MatchMode = .exact, countsHits: Bool = false, hasStaticComponents: Bool = false,
        countsTime: Bool = false
    ) {
        self.name = name
        self.defaultScheme = defaultScheme
        self.maximumWorkers = maximumWorkers
        self.maximumQueued = maximumQueued
        self.matchMode = matchMode
        self.countsHits = countsHits
        self.hasStaticComponents = hasStaticComponents
        self.countsTime = countsTime
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

/// The cold state of a bus. Only with its record's lock held, but for the constants.
package final class BusState {
    /// The name's bytes, which callers may look at until the bus closes.
    package let name: UnsafeRawBufferPointer
    package let defaultScheme: String
    package let countsHits: Bool
    /// Every route's registration.
    package var routes: Set<UInt32> = []
    /// Routes with a name.
    package var names: [String: UInt32] = [:]
    package var ruleHandlers = RuleHandlers()
    var webHosts = WebHosts()
    /// The components by the index of their own registration.
    var components: [UInt32: RegisteredComponent] = [:]
    /// The same by name.
    var componentNames: [String: UInt32] = [:]
    /// The indexes of the dispatchers that have a name.
    var dispatchers: [String: UInt8] = [:]
    /// The plug-ins by the paths that they were loaded by.
    var plugins: [String: LoadedPlugin] = [:]
    /// Whether its components are being told that it closes: it takes no new ones and no new holders.
    var isClosing = false
    /// The rule table that is loaded.
    package var rules: LoadedRules?
    package var systemOpenerPolicy = SystemOpenerPolicy()
    var children = ChildProcesses()
    /// Its own loop, once somebody has asked for it.
    var loop: LoopQueue?
    /// The interceptors, sorted.
    package var interceptors: [InterceptorEntry] = []
    /// How many there have been: the age of the newest. The first one's is 1, or that of the lowest order would have
    /// the place of a request that has seen none.
    package var interceptorCount: UInt32 = 0

    init(_ options: BusOptions) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: options.name.utf8.count, alignment: 1)
        bytes.copyBytes(from: options.name.utf8)
        name = UnsafeRawBufferPointer(bytes)
        defaultScheme = options.defaultScheme
        countsHits = options.countsHits
    }

    deinit { name.deallocate() }
}
