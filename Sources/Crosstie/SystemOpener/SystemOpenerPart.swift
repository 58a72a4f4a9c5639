import Synchronization

/// The system opener of a bus.
final class SystemOpenerPart: BusPart {
    var policy = SystemOpenerPolicy()

    override func free(_ bus: BusRecord.Pointer) {
        SystemOpenerGate.free(bus.pointee.systemOpenerGate.exchange(0, ordering: .acquiringAndReleasing))
    }
}
