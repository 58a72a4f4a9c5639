import Synchronization

/// The performer of a bus.
final class PerformerPart: BusPart {
    override func takeRegistrations(from bus: BusRecord.Pointer) -> [RegistrationRecord.Pointer] {
        (bus.performer?.pointee.registrations ?? []).compactMap(RegistrationRecord.at)
    }

    override func free(_ bus: BusRecord.Pointer) {
        PerformerSpace.Pointer(bitPattern: bus.pointee.performer.exchange(0, ordering: .acquiringAndReleasing))?.free()
    }
}
