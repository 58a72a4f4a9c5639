/// Objects of other modules that end with a bus.
final class BusEndings: BusPart {
    private var bodies: [ObjectIdentifier: () -> Void] = [:]
    /// Of a bus that closes.
    private var closing: [() -> Void] = []

    fileprivate func set(_ object: ObjectIdentifier, _ body: (() -> Void)?) { bodies[object] = body }

    override func prepareToClose() { (closing, bodies) = (Array(bodies.values), [:]) }

    override func announceClosing(of bus: Handle) { for body in closing { body() } }

    override func finishAnnouncing() { closing = [] }
}

extension BusRecord {
    /// Has a function called when the bus closes, while its handle is still valid, and with no lock held.
    ///
    /// - Throws: *invalidHandle*.
    package static func setEnding(
        _ handle: Handle, _ object: ObjectIdentifier, _ body: @escaping () -> Void
    ) throws(CrosstieError) {
        try withState(handle) { _, state in state.part(BusEndings.self).set(object, body) }
    }

    package static func removeEnding(_ handle: Handle, _ object: ObjectIdentifier) {
        try? withState(handle) { _, state in state.part(BusEndings.self).set(object, nil) }
    }
}
