/// The handlers of rules: those that were attached to a rule's id, and routes that were registered for it.
package struct RuleHandlers {
    /// By the rules' ids.
    package private(set) var registrations: [String: UInt32] = [:]
    private var ids: [UInt32: String] = [:]

    /// The rule that a registration is for.
    package func id(of registration: UInt32) -> String? { ids[registration] }

    package mutating func add(_ registration: UInt32, to id: String) {
        registrations[id] = registration
        ids[registration] = id
    }

    /// Takes a registration away. Gives the rule that it was for.
    package mutating func remove(_ registration: UInt32) -> String? {
        guard let id = ids.removeValue(forKey: registration) else { return nil }
        if registrations[id] == registration { registrations[id] = nil }
        return id
    }
}
