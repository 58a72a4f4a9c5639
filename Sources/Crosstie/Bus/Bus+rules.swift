extension Bus {
    /// Loads a rule table, which replaces the one before as a whole. If it is refused everything stays as it
    /// is.
    ///
    /// - Parameters:
    ///   - json: the document, at most 1 MiB; see docs/rules.md.
    ///   - options: for documents of the older form, and the platform.
    ///   - rollback: whether it may have a lower version than the table that is loaded.
    /// - Throws: *invalidFormat*, *duplicateKey*, *invalidPattern*, *invalidParameter*, *conflict*, *limitExceeded*,
    ///   *invalidUTF8*, with the location in the document; *incompatibleVersion* (lower than the table's that is loaded);
    ///   *invalidHandle*; *outOfMemory*.
    public func loadRules(
        _ json: String, _ options: RuleOptions = RuleOptions(), rollback: Bool = false
    ) throws(CrosstieError) {
        try BusRecord.loadRules(handle, try RuleDocument.read(json, options), rollback: rollback)
    }

    /// The same from a file.
    ///
    /// - Throws: as ``loadRules(_:_:rollback:)``; *systemFailure* (it cannot be read, or is no regular file).
    public func loadRules(
        file path: String, _ options: RuleOptions = RuleOptions(), rollback: Bool = false
    ) throws(CrosstieError) {
        try BusRecord.loadRules(handle, try RuleDocument.read(file: path, options.reading), rollback: rollback)
    }

    /// Removes the rule table: its schemes are no longer the bus's, routes that belonged to rules are again what they were
    /// registered as, and a table of any version may be loaded next. Handlers of rules stay.
    ///
    /// - Throws: *notFound* (none is loaded), *invalidHandle*, *outOfMemory*.
    public func unloadRules() throws(CrosstieError) { try BusRecord.unloadRules(handle) }

    /// The rule table that is loaded, in the current form; nil when there is none.
    ///
    /// - Throws: *invalidHandle* (the bus has closed).
    public func rules() throws(CrosstieError) -> Value? {
        try BusRecord.withState(handle) { _, state in state.rules?.document }?.value
    }

    /// Reads a document of either form and returns it in the current one, as JSON.
    ///
    /// - Throws: as ``loadRules(_:_:rollback:)`` for a document that it refuses.
    public static func convertRules(
        _ json: String, _ options: RuleOptions = RuleOptions()
    ) throws(CrosstieError) -> String {
        try RuleDocument.read(json, options).value.json(pretty: true)
    }

    /// The same from a file.
    ///
    /// - Throws: as ``loadRules(file:_:rollback:)`` for a document that it refuses.
    public static func convertRules(
        file path: String, _ options: RuleOptions = RuleOptions()
    ) throws(CrosstieError) -> String {
        try RuleDocument.read(file: path, options.reading).value.json(pretty: true)
    }

    /// Registers the handler of the rule of an id, in whatever table is loaded now or later. The rule says which URLs
    /// reach it and which origins may open them.
    ///
    /// - Throws: *conflict* (the id has a handler, or a route is for it), *invalidIdentifier*, *limitExceeded*,
    ///   *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func handleRule(
        _ id: String, isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler: @escaping Handler
    ) throws(CrosstieError) -> Registration {
        let content = try RegistrationContent(handler, isWorkerOnly: isWorkerOnly, interceptors: interceptors)
        return Registration(try BusRecord.handleRule(handle, id: id, content))
    }

    /// Sets the handler of every rule that has none of its own: it shows ``Request/rule``'s target with
    /// ``Request/params``. Nil takes it away.
    ///
    /// - Returns: *ok*, or *pending* while the one before it is running inside a handler.
    /// - Throws: *limitExceeded* (interceptors), *invalidHandle*, *outOfMemory*.
    @discardableResult
    public func setNavigator(
        isWorkerOnly: Bool = false, interceptors: [Handler] = [], handler: Handler?
    ) throws(CrosstieError) -> Status {
        guard let handler else { return try BusRecord.set(.navigator, of: handle, to: nil) }
        let content = try RegistrationContent(handler, isWorkerOnly: isWorkerOnly, interceptors: interceptors)
        return try BusRecord.set(.navigator, of: handle, to: content)
    }

    /// Makes a URL that reaches a rule with these parameters.
    ///
    /// - Parameters:
    ///   - name: the rule's id, or with `byTarget` its target.
    ///   - parameters: those of the path and the declared ones by their types, others as text into the query.
    ///   - isPublic: the first public scheme's URL; otherwise the first private one's, which remote origins may not
    ///     use.
    ///   - web: an https URL on the first web host instead.
    /// - Throws: *notFound* (no table, no such rule, no web link leads to it), *invalidParameter*, *limitExceeded*,
    ///   *invalidArgument* (a web link that is not public), *invalidHandle*.
    public func generate(
        rule name: String, _ parameters: ValueMap = ValueMap(), isPublic: Bool = true, web: Bool = false,
        byTarget: Bool = false
    ) throws(CrosstieError) -> String {
        guard let document = try BusRecord.withState(handle, { _, state in state.rules?.document }) else {
            throw CrosstieError(.notFound, "no rule table is loaded")
        }
        return try byTarget
            ? document.url(target: name, parameters: parameters, isPublic: isPublic, web: web)
            : document.url(id: name, parameters: parameters, isPublic: isPublic, web: web)
    }
}

extension RuleDocument {
    fileprivate static func read(_ json: String, _ options: RuleOptions) throws(CrosstieError) -> RuleDocument {
        try withBytes(of: json) { bytes throws(CrosstieError) in try read(bytes, options: options.reading) }
    }
}
