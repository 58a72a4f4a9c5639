/// The parts of a provider.
package struct ProviderContent {
    package var name: String
    package var isPublic = false
    /// The handlers; nil for a capability that it does not have.
    package var functions = CapabilityFunctions<HandlerFunction>()
    /// The endpoints of sharing.
    package var endpoints: [ProviderEndpoint] = []
    /// Of signing in and launching.
    package var platform = ""
    package var appID = ""
    package var universalLink = ""
    /// Each in place of its capability's comparison, which decides where there is none.
    package var can = CapabilityFunctions<ProviderCanFunction>()
    package var isInstalled: ProviderStateFunction?
    package var isSupported: ProviderStateFunction?
    package var runtime: UnsafeRawPointer?
    package var context: CallbackContext

    package init(name: String, context: CallbackContext) {
        self.name = name
        self.context = context
    }

    package static var maximumEndpoints: Int { 64 }

    /// The kinds of its capabilities.
    package var capabilities: [RequestKind] { RequestKind.allCases.filter { functions[$0] != nil } }

    /// Whether a capability is there whose comparison decides, so that it needs what it is compared with.
    private func compares(_ kind: RequestKind) -> Bool { functions[kind] != nil && can[kind] == nil }

    /// - Throws: *invalidIdentifier*, *invalidArgument* (no capability, or one that serves nothing), *conflict* (an endpoint twice),
    ///   *invalidURL*, *limitExceeded*.
    package mutating func check() throws(CrosstieError) {
        try check(name, named: "name", isNeeded: false)
        try Name.check(name)
        guard !capabilities.isEmpty else { throw CrosstieError(.invalidArgument, "\(name) has no capability") }
        try checkEndpoints()
        try check(platform, named: "platform", isNeeded: compares(.oauth) || compares(.launch))
        try check(appID, named: "app_id", isNeeded: compares(.open))
        try check(universalLink, named: "universal_link", isNeeded: compares(.activity), limit: URLLimits.url)
        if !appID.isEmpty, let problem = SchemeName.problem(in: appID) {
            throw CrosstieError(.invalidURL, "the app_id is no scheme: \(problem.message)", at: "app_id")
        }
        appID = SchemeName.lowerCase(appID)
        if !universalLink.isEmpty, UniversalLink(universalLink) == nil {
            throw CrosstieError(.invalidURL, "the universal_link is no http or https URL", at: "universal_link")
        }
    }

    private func checkEndpoints() throws(CrosstieError) {
        guard !endpoints.isEmpty || !compares(.share) else { throw nothing(of: "endpoints") }
        guard endpoints.count <= Self.maximumEndpoints else {
            throw CrosstieError(
                .limitExceeded, "a provider has at most \(Self.maximumEndpoints) endpoints", at: "endpoints")
        }
        var names: Set<String> = []
        for each in endpoints {
            try check(each.endpoint, named: "endpoints", isNeeded: true)
            for kind in each.kinds { try check(kind, named: "kinds", isNeeded: true) }
            guard names.insert(each.endpoint).inserted else {
                throw CrosstieError(
                    .conflict, "the endpoint \(Quotation.quoted(each.endpoint)) occurs twice", at: "endpoints")
            }
        }
    }

    private func check(
        _ text: String, named field: String, isNeeded: Bool, limit: Int = Name.maximumSize
    ) throws(CrosstieError) {
        guard text.utf8.count <= limit else {
            throw CrosstieError(.limitExceeded, "\(field) is over \(limit) bytes", at: field)
        }
        guard !text.isEmpty || !isNeeded else { throw nothing(of: field) }
    }

    private func nothing(of field: String) -> CrosstieError {
        CrosstieError(.invalidArgument, "\(name) has a capability that serves nothing: \(field) is empty", at: field)
    }
}
