internal import CCrosstie

/// The web address that an application claims: an origin, and a path with all that is below it.
struct UniversalLink {
    /// The normal form up to the path.
    private let origin: [UInt8]
    /// Without a slash at its end.
    private let path: [UInt8]

    /// Nil for anything but an http or https URL.
    init?(_ url: String) {
        let parsed = RuleURL()
        guard parsed.accepts(url), let (origin, path) = parsed.webAddress else { return nil }
        self.origin = origin
        self.path = path.last == UInt8(ascii: "/") ? path.dropLast() : path
    }

    /// Whether an activity is about browsing a page there: at the same origin, and its path is the link's or goes on
    /// behind a slash.
    func claims(_ activity: Value) -> Bool {
        guard activity[ActivityKey.type]?.stringValue == CTIE_ACTIVITY_BROWSING_WEB,
            let url = activity[ActivityKey.url]?.stringValue, let page = UniversalLink(url)
        else { return false }
        guard page.origin == origin, page.path.starts(with: path) else { return false }
        return page.path.count == path.count || page.path[path.count] == UInt8(ascii: "/")
    }
}
