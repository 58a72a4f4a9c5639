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
    /// Whether its components are being notified that it closes: it takes no new ones and no new holders.
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
