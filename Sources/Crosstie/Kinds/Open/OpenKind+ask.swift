/// Queries for the part that would open a URL.
extension OpenKind {
    /// Finds the handler that would open a URL, without a side effect.
    ///
    /// - Parameter anywhere: whether peers count, too.
    package static func canOpen(
        _ handle: Handle, _ url: UnsafeRawBufferPointer, isLocal: Bool, mode: MatchMode = .default,
        anywhere: Bool = false
    ) -> (Status, OpenedBy) {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return (resolved.status, .none) }
        let slot = ThreadSlot.current
        guard let block = RequestBlock.make(.open, on: slot, bus: bus, handle: handle) else {
            return (.outOfMemory, .none)
        }
        defer { block.drop() }
        // The record may have been one of another kind.
        (block.pointee.kind, block.pointee.flags) = (.open, anywhere ? 0 : RequestFlags.here)
        block.pointee.isLocal = isLocal && slot.isTrusted
        block.pointee.isNearest = mode.isNearest(on: bus)
        guard case .parsed = block.take(url) else { return (.ok, .none) }
        while true {
            if let answer = ask(block, slot) { return answer }
        }
    }

    /// Nil when a provider has said that it cannot, and the next one is to be asked.
    private static func ask(
        _ block: RequestBlock.Pointer, _ slot: UnsafeMutablePointer<ThreadSlot>
    ) -> (Status, OpenedBy)? {
        ReadSide.enter(slot)
        guard block.isBusLive else {
            ReadSide.leave(slot)
            return (.invalidHandle, .none)
        }
        let resolution = OpenResolver.resolve(block)
        if case .found(let registration, _) = resolution, registration.pointee.traits.contains(.provider) {
            guard slot.hasRoomForCallback else {
                ReadSide.leave(slot)
                return (.nestedTooDeeply, .none)
            }
            return askProvider(registration, block, slot) ? (.ok, .provider) : nil
        }
        defer { ReadSide.leave(slot) }
        switch resolution {
        case .found(let registration, _):
            return (.ok, opener(registration.pointee.header.index, block))
        case .system: return (.ok, .system)
        case .failed: return (.ok, .none)
        }
    }

    /// The kind of a handler that is no provider.
    private static func opener(_ handler: UInt32, _ block: RequestBlock.Pointer) -> OpenedBy {
        let bus = block.pointee.bus
        if handler == bus.pointee.callbackSlots.holder(of: .elsewhere) { return .peer }
        let system = SystemOpenerGate.handler(bus.pointee.systemOpenerGate.load(ordering: .acquiring))
        return handler == system ? .system : .route
    }

    /// Whether a provider can open the URL, by its own word. Leaves the read section.
    private static func askProvider(
        _ registration: RegistrationRecord.Pointer, _ block: RequestBlock.Pointer,
        _ slot: UnsafeMutablePointer<ThreadSlot>
    ) -> Bool {
        let route = registration.pointee.header.handle(.registration)
        slot.push(registration.pointee.header.index, block, isTrusted: block.pointee.isLocal)
        ReadSide.leave(slot)
        block.pointee.retainCount.startRunning()
        let can = RegisteredProvider.of(registration)?.can(block) == true
        block.stopRunning()
        slot.pop()
        registration.didReturn()
        // After too many have declined nobody is left.
        return can || !block.extras.noteDecline(of: route, nil)
    }
}
