/// The hosts of the web that routes are registered for, with how many there are of each.
struct WebHosts {
    private var counts: [String: Int] = [:]

    /// Stands for every host: a parameter's, and that of a pattern which takes all of its scheme.
    private static let any = ""

    /// Notes a route that comes or goes.
    mutating func count(_ pattern: Pattern, by step: Int) {
        guard pattern.isWeb else { return }
        let host = pattern.segments.first.flatMap { $0.kind == .literal ? pattern.string($0.literal) : nil } ?? Self.any
        let count = (counts[host] ?? 0) + step
        counts[host] = count > 0 ? count : nil
    }

    /// Whether a route may be meant by a URL on a host, which is in its normal form.
    func concern(_ host: String) -> Bool { counts[Self.any] != nil || counts[host] != nil }
}
