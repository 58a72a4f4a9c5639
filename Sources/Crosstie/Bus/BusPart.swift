/// A part of a bus's cold state that a folder above keeps by itself: the components, the performer, the providers, the
/// system opener. A bus has one part of each class, from its first use on.
///
/// All functions run with the bus's lock held unless they say otherwise.
class BusPart {
    required init() {}

    /// The answer to the removal of a registration by its handle.
    enum Removal {
        /// The registration is none of this part.
        case foreign
        /// It is just being removed.
        case taken
        /// It is off the bus. The closure, called with no lock held, ends it.
        case begun(() -> Status)
    }

    /// Takes a registration off the bus, if this part has it.
    func remove(_ registration: RegistrationRecord.Pointer, from bus: BusRecord.Pointer) -> Removal { .foreign }

    /// Notes that the bus is about to close.
    func prepareToClose() {}

    /// Notifies those that have to know before the bus closes. No lock is held.
    func announceClosing(of bus: Handle) {}

    /// Notes that all have been notified.
    func finishAnnouncing() {}

    /// The registrations to be ended with the bus.
    func takeRegistrations(from bus: BusRecord.Pointer) -> [RegistrationRecord.Pointer] { [] }

    /// Frees what readers found by the words of the record. No reader is left, and no lock is held.
    func free(_ bus: BusRecord.Pointer) {}
}

extension BusState {
    /// The bus's part of a class, made when it is first needed.
    func part<Part: BusPart>(_ type: Part.Type) -> Part {
        for part in parts where ObjectIdentifier(Swift.type(of: part)) == ObjectIdentifier(type) {
            return unsafeDowncast(part, to: type)
        }
        let fresh = type.init()
        parts.append(fresh)
        return fresh
    }
}
