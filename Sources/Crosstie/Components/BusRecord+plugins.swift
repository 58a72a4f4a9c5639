import Synchronization

/// Plug-ins: components from shared objects.
extension BusRecord {
    /// Registers the components of a shared object, all or none. Gives how many there are.
    ///
    /// - Throws: *alreadyDone* (the bus has it), what opening it and registering its components is refused for.
    package static func loadPlugin(_ handle: Handle, _ path: String) throws(CrosstieError) -> Int {
        try withState(handle) { _, state throws(CrosstieError) in try state.check(path, nil) }
        let (object, declarations) = try Plugins.open(path)
        try withState(handle) { _, state throws(CrosstieError) in
            try state.check(path, object)
            // A claim, until its components are there.
            state.components.plugins[path] = LoadedPlugin(object: object, components: [])
        }
        do throws(CrosstieError) {
            let contents = try declarations.map { declaration throws(CrosstieError) in try declaration.makeContent() }
            let components = try addComponents(handle, contents)
            try withState(handle) { _, state in
                state.components.plugins[path] = LoadedPlugin(object: object, components: components)
            }
            return components.count
        } catch {
            _ = try? withState(handle) { _, state in state.components.plugins[path] = nil }
            throw error
        }
    }

    /// Removes the remaining components of a plug-in.
    ///
    /// - Throws: *notFound*, *invalidHandle*.
    package static func unloadPlugin(_ handle: Handle, _ path: String) throws(CrosstieError) -> Status {
        let (bus, leaving) = try withState(handle) { bus, state throws(CrosstieError) in
            guard let plugin = state.components.plugins.removeValue(forKey: path) else {
                throw CrosstieError(.notFound, "this bus has no plug-in \(Quotation.shown(path))", at: "path")
            }
            return (bus, plugin.components.compactMap { state.component($0).flatMap(LeavingComponent.init) })
        }
        return leaving.isEmpty ? .ok : remove(leaving, from: bus, handle)
    }
}

extension BusState {
    /// - Throws: *alreadyDone* for a plug-in that the bus has, by whatever path.
    fileprivate func check(_ path: String, _ object: UInt?) throws(CrosstieError) {
        let plugins = components.plugins
        guard plugins[path] == nil, !plugins.values.contains(where: { $0.object == object }) else {
            throw CrosstieError(.alreadyDone, "this bus has the plug-in \(Quotation.shown(path))", at: "path")
        }
    }

    /// The component of a registration, if it is still there.
    fileprivate func component(_ handle: Handle) -> RegisteredComponent? {
        guard
            RegistrationRecord.at(handle.index)?.pointee.header.generation.load(ordering: .relaxed) == handle.generation
        else { return nil }
        return components.components[handle.index]
    }
}
