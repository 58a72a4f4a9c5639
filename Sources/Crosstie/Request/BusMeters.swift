/// The meters of a bus.
package final class BusMeters: @unchecked Sendable {
    /// Counts requests whose handler has not been started.
    let unhandled = Meter("")
    /// Only with the bus's lock.
    private var named: [String: Meter] = [:]
    private var pruneCount = 1024

    /// The meter of a registration, which goes on with what was counted under that name before; nil for no name.
    func meter(named name: String) -> Meter? {
        guard !name.isEmpty else { return nil }
        if named[name] == nil, named.count >= pruneCount { prune() }
        let meter = named[name] ?? Meter(name)
        named[name] = meter
        meter.hold()
        return meter
    }

    /// The number of handlers that have one.
    var count: Int { named.count }

    /// Forgets handlers that were removed and never started, or a bus whose routes come and go would keep all names.
    private func prune() {
        named = named.filter { !$0.value.isForgotten }
        pruneCount = max(1024, named.count * 2)
    }

    /// By the kind's name, then by the handler's.
    package var stats: [RequestStats] {
        let meters = [unhandled] + named.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let kinds = RequestKind.allCases.sorted { $0.name < $1.name }
        return kinds.flatMap { kind in meters.compactMap { $0.stats(of: kind) } }
    }
}
