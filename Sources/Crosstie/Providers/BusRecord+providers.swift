/// The list of a bus's providers.
extension BusRecord {
    /// Puts a provider into the list, before a position or at the end. The content is destroyed if this fails.
    ///
    /// - Throws: the errors of ``ProviderContent/check()``; *conflict* (the name), *limitExceeded*, *invalidHandle*,
    ///   *outOfMemory*.
    package static func addProvider(
        _ handle: Handle, _ content: ProviderContent, at position: Int
    ) throws(CrosstieError) -> Handle {
        let provider = try register([content])[0]
        let (own, before) = try registering([provider], handle) { bus, state, enlist throws(CrosstieError) in
            var list = try openList(of: bus, state)
            guard list.count < ProviderSpace.maximumProviders else { throw ProviderSpace.full }
            try checkName(of: provider, among: list)
            try enlist()
            list.insert(provider, at: min(position, list.count))
            return (bus.handle(ofProvider: provider), bus.publish(list))
        }
        before?.free()
        return own
    }

    /// Replaces all providers by others. The contents are destroyed if this fails.
    ///
    /// - Returns: *ok*, or *pending* while one of those before is running inside a handler.
    /// - Throws: as ``addProvider(_:_:at:)``.
    package static func setProviders(
        _ handle: Handle, _ contents: [ProviderContent]
    ) throws(CrosstieError) -> Status {
        let providers = try register(contents)
        let leaving = try registering(providers, handle) { bus, state, enlist throws(CrosstieError) in
            let list = try openList(of: bus, state)
            guard providers.count <= ProviderSpace.maximumProviders else { throw ProviderSpace.full }
            for (index, provider) in providers.enumerated() {
                try checkName(of: provider, among: providers[..<index])
            }
            try enlist()
            return LeavingProviders(list, before: bus.publish(providers))
        }
        return leaving.end()
    }

    /// Moves a provider to a position, or to the end.
    ///
    /// - Throws: *notFound*, *invalidHandle*.
    package static func moveProvider(_ handle: Handle, named name: String, to position: Int) throws(CrosstieError) {
        let before = try withState(handle) { bus, state throws(CrosstieError) in
            var list = try openList(of: bus, state)
            let provider = list.remove(at: try index(of: name, in: list))
            list.insert(provider, at: min(position, list.count))
            return bus.publish(list)
        }
        before?.free()
    }

    /// Removes a provider.
    ///
    /// - Returns: *ok*, or *pending* while it is running inside a handler.
    /// - Throws: *notFound*, *invalidHandle*.
    package static func removeProvider(_ handle: Handle, named name: String) throws(CrosstieError) -> Status {
        let leaving = try withState(handle) { bus, state throws(CrosstieError) in
            _ = try index(of: name, in: try openList(of: bus, state))
            return unlistProvider(bus) { $0.content.name == name }
        }
        return leaving.end()
    }

    /// The providers, in their order.
    package static func listProviders(_ handle: Handle) throws(CrosstieError) -> [ProviderDescription] {
        try withState(handle) { bus, _ in
            bus.providers?.pointee.providers.map { ProviderDescription($0.content) } ?? []
        }
    }

    /// Takes one provider off the list, with the lock held.
    static func unlistProvider(_ bus: Pointer, where matches: (RegisteredProvider) -> Bool) -> LeavingProviders {
        let list = bus.providers?.pointee.providers ?? []
        let leaving = list.filter(matches)
        let before = leaving.isEmpty ? nil : bus.publish(list.filter { !matches($0) })
        return LeavingProviders(leaving, before: before)
    }

    /// Redirects the log of a provider; nil: to the bus's log. The content is destroyed if this fails.
    ///
    /// - Returns: *ok*, or *pending* while the callback before is running inside a handler.
    /// - Throws: *notFound*, *invalidHandle*, *outOfMemory*.
    package static func setProviderLog(
        _ handle: Handle, named name: String, _ content: RegistrationContent?
    ) throws(CrosstieError) -> Status {
        do throws(CrosstieError) {
            let before = try withState(handle) { bus, state throws(CrosstieError) -> RegistrationRecord.Pointer? in
                let list = try openList(of: bus, state)
                let provider = list[try index(of: name, in: list)]
                let fresh = try content.map { content throws(CrosstieError) in try make(content, on: bus) }
                let before = provider.log.exchange(
                    fresh?.pointee.header.index ?? 0, ordering: .acquiringAndReleasing)
                guard before != 0, let registration = RegistrationRecord.at(before) else { return nil }
                registration.leaveBus()
                return registration
            }
            return before?.end() ?? .ok
        } catch {
            content?.destroy()
            throw error
        }
    }
}

extension ProviderSpace {
    fileprivate static var full: CrosstieError {
        CrosstieError(.limitExceeded, "a bus has at most \(maximumProviders) providers")
    }
}

extension BusRecord {
    /// The content to register. When one is refused all are destroyed.
    private static func register(_ contents: [ProviderContent]) throws(CrosstieError) -> [RegisteredProvider] {
        var checked = contents
        do throws(CrosstieError) {
            for index in checked.indices { try checked[index].check() }
        } catch {
            for content in contents { content.context.destroy() }
            throw error
        }
        return checked.map(RegisteredProvider.init)
    }

    /// With the lock held.
    ///
    /// - Throws: *invalidHandle* while the bus is closing.
    private static func openList(of bus: Pointer, _ state: BusState) throws(CrosstieError) -> [RegisteredProvider] {
        guard !state.isClosing else { throw CrosstieError(.invalidHandle, "the bus is closing") }
        return bus.providers?.pointee.providers ?? []
    }

    private static func checkName(
        of provider: RegisteredProvider, among others: some Sequence<RegisteredProvider>
    ) throws(CrosstieError) {
        let name = provider.content.name
        guard !others.contains(where: { $0.content.name == name }) else {
            throw CrosstieError(.conflict, "there is a provider \(Quotation.quoted(name))", at: "name")
        }
    }

    private static func index(of name: String, in list: [RegisteredProvider]) throws(CrosstieError) -> Int {
        guard let index = list.firstIndex(where: { $0.content.name == name }) else {
            throw CrosstieError(.notFound, "there is no provider \(Quotation.quoted(name))", at: "name")
        }
        return index
    }

    private static func make(
        _ content: RegistrationContent, on bus: Pointer
    ) throws(CrosstieError) -> RegistrationRecord.Pointer {
        guard let registration = RegistrationRecord.make(content, on: bus) else {
            throw CrosstieError(.outOfMemory, "no room for another registration")
        }
        return registration
    }

    /// Runs `body` on the bus's state, which has the registrations made by its last argument. When it throws, all of the
    /// providers are ended, with no lock held.
    private static func registering<Result>(
        _ providers: [RegisteredProvider], _ handle: Handle,
        _ body: (Pointer, BusState, () throws(CrosstieError) -> Void) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        var unused: [CallbackContext] = []
        do throws(CrosstieError) {
            return try withState(handle) { bus, state throws(CrosstieError) in
                try body(bus, state) { () throws(CrosstieError) in try enlist(providers, on: bus, &unused) }
            }
        } catch {
            for context in unused { context.destroy() }
            for provider in providers { provider.end() }
            throw error
        }
    }

    /// Makes the registrations of all, or of none: then the contexts of those that were made are to be destroyed.
    private static func enlist(
        _ providers: [RegisteredProvider], on bus: Pointer, _ unused: inout [CallbackContext]
    ) throws(CrosstieError) {
        var made: [RegistrationRecord.Pointer] = []
        for provider in providers {
            let content = provider.registered
            guard let registration = RegistrationRecord.make(content, on: bus) else {
                unused = made.map { $0.pointee.context } + [content.context]
                for registration in made { registration.discard() }
                throw CrosstieError(.outOfMemory, "no room for another registration")
            }
            provider.registration = registration.pointee.header.index
            made.append(registration)
        }
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// The handle of a provider that has just been registered; with the lock held.
    fileprivate func handle(ofProvider provider: RegisteredProvider) -> Handle {
        RegistrationRecord.at(provider.registration)?.pointee.header.handle(.registration) ?? Handle(bits: 0)
    }
}
