/// The log of a bus.
extension BusRecord {
    /// Writes a line about a request to its bus's log, if the bus lives and has one.
    static func write(about block: RequestBlock.Pointer, _ level: LogLevel, _ message: String) {
        write(to: block.pointee.busHandle, level, message)
    }

    /// Writes a line to a bus's log, if the bus lives and has one.
    package static func write(to handle: Handle, _ level: LogLevel, _ message: String) {
        let slot = ThreadSlot.current
        guard slot.hasRoomForCallback else { return }
        ReadSide.enter(slot)
        guard case .live(let bus) = resolve(handle),
            let registration = RegistrationRecord.at(bus.pointee.callbackSlots.holder(of: .log)),
            let log = registration.pointee.log
        else {
            ReadSide.leave(slot)
            return
        }
        slot.push(registration.pointee.header.index, nil, isTrusted: slot.isTrusted)
        ReadSide.leave(slot)
        level.write(log, message, registration.pointee.context)
        slot.pop()
        registration.didReturn()
    }
}
