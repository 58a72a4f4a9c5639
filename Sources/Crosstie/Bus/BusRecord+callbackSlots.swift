/// Filling the callback slots of a bus.
extension BusRecord {
    /// Puts a callback into a slot; nil empties it. The content is destroyed if this fails.
    package static func set(
        _ slot: CallbackSlot, of handle: Handle, to content: RegistrationContent?
    ) throws(CrosstieError) -> Status {
        do throws(CrosstieError) {
            // Looked up under the lock, or it could be put on a bus that has closed, where nobody would ever end it.
            let before = try withState(handle) { bus, _ throws(CrosstieError) in
                replace(slot, of: bus, with: try registration(content, slot, on: bus))
            }
            return before?.end() ?? .ok
        } catch {
            content?.destroy()
            throw error
        }
    }

    static func registration(
        _ content: RegistrationContent?, _ slot: CallbackSlot, on bus: Pointer
    ) throws(CrosstieError) -> UInt32 {
        guard var content else { return 0 }
        content.name = slot.rawValue
        guard let registration = RegistrationRecord.make(content, on: bus) else {
            throw CrosstieError(.outOfMemory, "no room for another registration")
        }
        return registration.pointee.header.index
    }

    /// Puts a registration into a slot, with the lock held. Returns the one before it, which is to be ended.
    static func replace(_ slot: CallbackSlot, of bus: Pointer, with index: UInt32) -> RegistrationRecord.Pointer? {
        let before = bus.pointee.callbackSlots.give(slot, to: index)
        guard before != 0, let registration = RegistrationRecord.at(before) else { return nil }
        registration.leaveBus()
        return registration
    }
}
