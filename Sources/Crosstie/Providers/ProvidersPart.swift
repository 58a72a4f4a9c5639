import Synchronization

/// The providers of a bus.
final class ProvidersPart: BusPart {
    override func remove(_ registration: RegistrationRecord.Pointer, from bus: BusRecord.Pointer) -> Removal {
        guard registration.pointee.traits.contains(.provider) else { return .foreign }
        let index = registration.pointee.header.index
        let leaving = BusRecord.unlistProvider(bus) { $0.registration == index }
        return .begun { leaving.end() }
    }

    override func takeRegistrations(from bus: BusRecord.Pointer) -> [RegistrationRecord.Pointer] {
        bus.providers?.pointee.providers.flatMap(\.registrations) ?? []
    }

    override func free(_ bus: BusRecord.Pointer) {
        ProviderSpace.Pointer(bitPattern: bus.pointee.providers.exchange(0, ordering: .acquiringAndReleasing))?.free()
    }
}
