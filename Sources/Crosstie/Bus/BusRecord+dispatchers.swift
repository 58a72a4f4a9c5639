/// Dispatchers by name.
extension BusRecord {
    /// Adds a dispatcher, for as long as the bus lives.
    package static func addDispatcher(
        _ handle: Handle, _ name: String, _ options: DispatcherOptions
    ) throws(CrosstieError) {
        try options.check()
        try Name.check(name)
        try withState(handle) { bus, state throws(CrosstieError) in
            guard state.dispatchers[name] == nil else {
                throw CrosstieError(.conflict, "there is a dispatcher \(name)", at: "name")
            }
            let count = state.dispatchers.count + 1
            guard count < Dispatchers.maximum, let pools = Dispatchers(bus.pointee.dispatchers.load(ordering: .relaxed))
            else {
                throw CrosstieError(
                    .limitExceeded, "a bus has at most \(Dispatchers.maximum - 1) named dispatchers", at: "name")
            }
            let index = UInt8(count)
            pools.set(index, to: WorkerPool.make(options, of: bus, handle, index: index))
            state.dispatchers[name] = index
            bus.pointee.hasNamedDispatchers.store(true, ordering: .releasing)
        }
    }

    /// Cancels a dispatcher's requests, the default one's for an empty name. Returns their number.
    package static func cancelAll(_ handle: Handle, dispatcher name: String) throws(CrosstieError) -> Int {
        let index = try withState(handle) { _, state throws(CrosstieError) in try state.dispatcher(name) }
        guard case .live(let bus) = resolve(handle) else { return 0 }
        return cancelAll(bus, handle, index)
    }

    private static func cancelAll(_ bus: Pointer, _ handle: Handle, _ index: UInt8) -> Int {
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        guard let pools = Dispatchers(bus.pointee.dispatchers.load(ordering: .acquiring)), let pool = pools[index],
            pool.pointee.busHandle == handle
        else {
            ReadSide.leave(slot)
            return 0
        }
        var requests = pool.takeOpen()
        ReadSide.leave(slot)
        return requests.end(.cancelled)
    }
}

extension BusState {
    /// The index of a dispatcher by its name.
    ///
    /// - Throws: *notFound*.
    func dispatcher(_ name: String) throws(CrosstieError) -> UInt8 {
        guard !name.isEmpty else { return 0 }
        guard let index = dispatchers[name] else {
            throw CrosstieError(.notFound, "there is no dispatcher \(Quotation.quoted(name))", at: "dispatcher")
        }
        return index
    }
}
