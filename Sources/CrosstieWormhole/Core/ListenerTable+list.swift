/// Listeners as their host sees them.
extension ListenerTable {
    /// Those that are bound, in the order in which they were.
    func list() -> [Wormhole.Bound] {
        monitor.with { all.sorted { $0.number < $1.number }.map(Wormhole.Bound.init) }
    }
}

extension Wormhole.Bound {
    /// With the table's monitor held.
    fileprivate init(_ binding: Binding) {
        identifier = binding.topic.text.isEmpty ? nil : String(decoding: binding.topic.text, as: UTF8.self)
        name = String(decoding: binding.name, as: UTF8.self)
        switch binding.topic {
        case .members: delivery = .members
        case .connection: delivery = .connection
        default: delivery = Delivery(binding.delivery)
        }
        location = Location(binding.executor)
    }
}

extension Wormhole.Bound.Delivery {
    fileprivate init(_ delivery: ListenOptions.Delivery) {
        switch delivery {
        case .state: self = .state
        case .queue: self = .queue
        case .durable: self = .durable
        }
    }
}

extension Wormhole.Bound.Location {
    fileprivate init(_ executor: ListenerExecutor) {
        switch executor {
        case .wormhole: self = .wormhole
        case .loop: self = .loop
        case .dispatcher(let dispatcher): self = .dispatcher(named: dispatcher.name)
        }
    }
}
