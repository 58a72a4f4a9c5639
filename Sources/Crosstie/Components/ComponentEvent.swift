import Synchronization

/// An event on its way to the one component whose action this is.
struct ComponentEvent {
    let component: String
    let name: String
    let priority: Int32
    let action: Handle

    /// Whether its action is still registered. Only with the bus's lock.
    var isAlive: Bool {
        RegistrationRecord.at(action.index)?.pointee.header.generation.load(ordering: .relaxed) == action.generation
    }

    /// Whether its component gets an event before another one: a higher priority comes first, and among equals the name
    /// decides.
    static func isBefore(_ left: ComponentEvent, _ right: ComponentEvent) -> Bool {
        left.priority == right.priority ? left.component < right.component : left.priority > right.priority
    }
}
