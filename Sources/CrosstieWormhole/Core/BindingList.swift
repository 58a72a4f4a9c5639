/// Listeners in the order in which they were bound, any of which is removed in constant time.
struct BindingList {
    /// Nil where one was removed.
    private var bindings: [Binding?] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ binding: Binding) {
        binding.index = bindings.count
        bindings.append(binding)
        count += 1
    }

    mutating func remove(_ binding: Binding) {
        guard bindings.indices.contains(binding.index), bindings[binding.index] === binding else { return }
        bindings[binding.index] = nil
        count -= 1
        if bindings.count > 16, bindings.count > 2 * count { close() }
    }

    func forEach(_ body: (Binding) -> Void) {
        for case let binding? in bindings { body(binding) }
    }

    /// Moves those that are left together.
    private mutating func close() {
        bindings.removeAll { $0 == nil }
        for (index, binding) in bindings.enumerated() { binding?.index = index }
    }
}

extension BindingList {
    /// The key of a listener: it replaces another one with the same.
    struct BindingName: Hashable {
        let topic: Topic
        let name: [UInt8]
    }
}

extension BindingList.BindingName {
    /// Nil for a listener without a name.
    init?(_ binding: Binding) {
        if binding.name.isEmpty { return nil }
        self.init(topic: binding.topic, name: binding.name)
    }
}
