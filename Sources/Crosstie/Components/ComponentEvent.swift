import Synchronization

/// An event on its way to the one component whose action this is.
struct ComponentEvent {
    let component: String
    let name: String
    let priority: Int32
    let action: Handle

    /// Whether its action is still registered. Only with the bus's lock.
    var isAlive: Bool {
        Registration.at(action.index)?.pointee.header.generation.load(ordering: .relaxed) == action.generation
    }

    /// Whether its component hears an event before another's: those of a higher priority, of equal ones by name.
    static func isBefore(_ left: ComponentEvent, _ right: ComponentEvent) -> Bool {
        left.priority == right.priority ? left.component < right.component : left.priority > right.priority
    }
}

/// What came of an event.
public struct BroadcastResult: Sendable {
    /// How many components have the event.
    public internal(set) var count = 0
    /// Whether one of them answered true.
    public internal(set) var any = false
    /// Those that failed.
    public internal(set) var failures: [BroadcastFailure] = []
}

/// A component that failed an event.
public struct BroadcastFailure: Sendable {
    public let component: String
    public let status: Status
    public let code: Int32
    public let message: String
}
