/// A URL on its way, with what came along.
struct Handed {
    /// Empty for an activation without URLs.
    let url: String
    let activation: Value
    /// When its sender stops waiting.
    let deadline: UInt64

    init(_ url: String, _ activation: Value, until deadline: UInt64) {
        (self.url, self.activation, self.deadline) = (url, activation, deadline)
    }

    /// From another process; nil for a body that is none.
    init?(_ body: Value) {
        guard let url = body["url"]?.stringValue, let activation = body["activation"], case .map = activation else {
            return nil
        }
        let left = body["left"]?.intValue ?? -1
        self.init(url, activation, until: Clock.deadline(milliseconds: left < 0 ? -1 : left))
    }

    /// Runs `body` with the request's specification. The origin is always remote.
    func withSpec<Result>(
        dispatcher: String, _ body: (RequestSpec) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        let info = try Value.map(ValueMap([("activation", activation)])).makeRef()
        defer { info.release() }
        var spec = RequestSpec(isLocal: false)
        spec.userInfo = info
        if !dispatcher.isEmpty {
            let delivery = RequestDelivery()
            delivery.dispatcher = dispatcher
            spec.delivery = Held(delivery)
        }
        return try body(spec)
    }

    /// In milliseconds, as a specification has it.
    var timeLeft: Int64 {
        guard deadline != Clock.never else { return -1 }
        return max(Int64(clamping: max(deadline, Clock.now()) &- Clock.now()) / 1_000_000, 1)
    }
}
