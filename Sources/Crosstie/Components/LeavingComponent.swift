/// A component that somebody removes: nobody else does, whatever happens to its name and its bus meanwhile.
struct LeavingComponent {
    /// The index of its own registration.
    let own: UInt32
    let registrations: [UInt32]
    let destroyed: ComponentEvent?

    /// Claims it, with the bus's lock held. Nil when somebody else has.
    init?(_ component: RegisteredComponent) {
        guard !component.isLeaving, let own = component.registrations.first else { return nil }
        component.isLeaving = true
        self.own = own
        registrations = component.registrations
        destroyed = component.farewell
    }
}
