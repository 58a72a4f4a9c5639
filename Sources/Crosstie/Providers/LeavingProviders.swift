/// Providers that are off their bus's list and not ended yet.
struct LeavingProviders {
    private let registrations: [RegistrationRecord.Pointer]
    private let before: ProviderSpace.Pointer?

    /// With the bus's lock held; nobody else ends them.
    init(_ providers: [RegisteredProvider], before: ProviderSpace.Pointer?) {
        registrations = providers.flatMap(\.registrations)
        for registration in registrations { registration.leaveBus() }
        self.before = before
    }

    /// With no lock held.
    func end() -> Status {
        before?.free()
        return registrations.isEmpty ? .ok : RegistrationRecord.Pointer.endEach(registrations)
    }
}
