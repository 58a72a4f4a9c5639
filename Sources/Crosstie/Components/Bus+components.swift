extension Bus {
    /// Registers an object as a component.
    ///
    /// Its event `created` is run once it is there, `destroyed` before it goes.
    ///
    /// - Parameter name: the name for callers; by default ``Component/name``.
    /// - Returns: the registration; the component stays until ``Registration/remove()``, until it is removed otherwise or
    ///   replaced, or until the bus closes.
    /// - Throws: *conflict* (a component of that name), *invalidIdentifier* or *noName* (a name), *notAComponent* (no action),
    ///   *notFound* (the dispatcher), *limitExceeded*, *invalidHandle* (the bus has closed), *outOfMemory*.
    @discardableResult
    public func addComponent<Object: Component>(
        _ object: Object, name: String? = nil, options: ComponentOptions = ComponentOptions()
    ) throws(CrosstieError) -> Registration {
        try add(
            SwiftComponent(Object.actions) { object }, name ?? Object.name, String(reflecting: Object.self), options)
    }

    /// Registers a component whose object is made at the first call to it. Other callers wait meanwhile. When that
    /// fails the call ends with *notAComponent*, and the next one tries again.
    ///
    /// - Throws: as ``addComponent(_:name:options:)``.
    @discardableResult
    public func addComponent<Object: Component>(
        lazily type: Object.Type, name: String? = nil, options: ComponentOptions = ComponentOptions(),
        make: @escaping @Sendable () throws -> Object
    ) throws(CrosstieError) -> Registration {
        let component = SwiftComponent(Object.actions, make: make)
        return try add(component, name ?? Object.name, String(reflecting: Object.self), options, isLazy: true)
    }

    /// Registers a component that closures make up.
    ///
    /// - Throws: as ``addComponent(_:name:options:)``.
    @discardableResult
    public func addComponent(
        _ name: String, actions: [Action], options: ComponentOptions = ComponentOptions()
    ) throws(CrosstieError) -> Registration {
        try add(SwiftComponent(actions) { nil }, name, "", options)
    }

    private func add(
        _ component: SwiftComponent, _ name: String, _ type: String, _ options: ComponentOptions, isLazy: Bool = false
    ) throws(CrosstieError) -> Registration {
        var content = try component.content(name, type: type, options)
        content.isLazy = isLazy
        return Registration(try BusRecord.addComponent(handle, content))
    }

    /// Removes the component of a name. Outside handlers its actions are not running when this returns.
    ///
    /// - Returns: *ok*, or *pending* inside a handler.
    /// - Throws: *noComponent*, *noName*, *invalidHandle*.
    @discardableResult
    public func removeComponent(named name: String) throws(CrosstieError) -> Status {
        try BusRecord.removeComponent(handle, named: name)
    }

    /// Removes every component that is this object.
    ///
    /// - Returns: *ok*, or *pending* inside a handler.
    /// - Throws: *noComponent*, *invalidHandle*.
    @discardableResult
    public func removeComponents(of object: some Component) throws(CrosstieError) -> Status {
        try BusRecord.removeComponents(handle, instance: CallbackContext.address(of: object))
    }

    /// Removes every component whose object is of a type.
    ///
    /// - Returns: *ok*, or *pending* inside a handler.
    /// - Throws: *noComponent*, *invalidHandle*.
    @discardableResult
    public func removeComponents<Object: Component>(of type: Object.Type) throws(CrosstieError) -> Status {
        try BusRecord.removeComponents(handle, type: String(reflecting: Object.self))
    }

    /// The components, by name, whatever language they are written in.
    ///
    /// - Throws: *invalidHandle* (the bus has closed).
    public func components() throws(CrosstieError) -> [ComponentDescription] { try BusRecord.listComponents(handle) }

    /// The same, and behind them the components that peers export and this bus imports, with ``ComponentDescription/peer``.
    ///
    /// - Throws: *invalidHandle* (the bus has closed).
    public func componentsAnywhere() throws(CrosstieError) -> [ComponentDescription] {
        try BusRecord.listComponentsAnywhere(handle)
    }

    /// Registers the components of a shared object, all of them or none.
    ///
    /// - Parameter path: as for dlopen(3); at most 4,096 bytes.
    /// - Returns: how many it brought.
    /// - Throws: *systemFailure* (it cannot be opened), *incompatibleABI* (a declaration of another form), *notAComponent* (it declares
    ///   nothing), *alreadyDone* (this bus has it), what a component is refused for, *invalidArgument*, *limitExceeded*, *invalidHandle*.
    @discardableResult
    public func loadPlugin(_ path: String) throws(CrosstieError) -> Int {
        guard path.utf8.count <= Plugins.maximumPathSize else {
            throw CrosstieError(.limitExceeded, "a path has at most 4,096 bytes", at: "path")
        }
        return try BusRecord.loadPlugin(handle, path)
    }

    /// Removes the components of a plug-in; the shared object stays mapped.
    ///
    /// - Parameter path: the same text as it was loaded by.
    /// - Returns: *ok*, or *pending* inside a handler.
    /// - Throws: *notFound* (this bus has no plug-in of that path), *invalidHandle*.
    @discardableResult
    public func unloadPlugin(_ path: String) throws(CrosstieError) -> Status {
        try BusRecord.unloadPlugin(handle, path)
    }
}

extension StaticComponents {
    /// Gives every bus with ``BusOptions/hasStaticComponents`` a component of its own: those that are there and those
    /// to come. It is made when the bus takes it up.
    ///
    /// - Throws: *conflict* (a static component of that name), *invalidIdentifier*, *noName*, *notAComponent* (no action),
    ///   *limitExceeded*.
    public static func declare<Object: Component>(
        _ type: Object.Type, name: String? = nil, options: ComponentOptions = ComponentOptions(),
        make: @escaping @Sendable () throws -> Object
    ) throws(CrosstieError) {
        let name = name ?? Object.name
        try declare(
            try Declaration { () throws(CrosstieError) in
                try SwiftComponent(Object.actions, make: make).content(
                    name, type: String(reflecting: Object.self), options)
            })
    }
}
