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
    /// The indexes of the dispatchers that have a name.
    var dispatchers: [String: UInt8] = [:]
    /// Whether its parts are being notified that it closes: it takes no new ones and no new holders.
    var isClosing = false
    /// The rule table that is loaded.
    package var rules: LoadedRules?
    var children = ChildProcesses()
    /// The parts that the folders above keep.
    var parts: [BusPart] = []
    /// Its own loop, once somebody has asked for it.
    var loop: LoopQueue?
    /// The interceptors, sorted.
    package var interceptors: [InterceptorEntry] = []
    /// The number of those that there have been: the age of the newest. The first one's is 1, or that of the lowest position would
    /// have the key of a request that has seen none.
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

extension BusRecord {
    /// Everything that is not read without the lock. Only with the lock.
    @inline(__always)
    package var state: BusState? {
        get { stateObject.map { unsafeDowncast($0, to: BusState.self) } }
        set { stateObject = newValue }
    }

    /// Runs `body` on a live bus's cold state, with its lock held.
    package static func withState<Result>(
        _ handle: Handle, _ body: (Pointer, BusState) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else {
            throw CrosstieError(resolved.status, "invalid or released bus handle")
        }
        return try bus.withLock { () throws(CrosstieError) -> Result in
            guard bus.handle == handle, let state = bus.pointee.state else {
                throw CrosstieError(.invalidHandle, "the bus has been closed")
            }
            return try body(bus, state)
        }
    }
}
