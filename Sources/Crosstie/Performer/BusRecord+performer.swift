import Synchronization

/// The targets that a bus may perform, and their resolvers.
extension BusRecord {
    /// Puts a target on the allow-list.
    ///
    /// - Throws: *invalidIdentifier*, *limitExceeded*, *invalidHandle*, *outOfMemory*.
    package static func allow(_ handle: Handle, _ target: UnsafeRawBufferPointer) throws(CrosstieError) {
        try PerformTarget.check(target)
        let before = try withState(handle) { bus, _ throws(CrosstieError) -> PerformerSpace.Pointer? in
            var space = try performer(of: bus)
            return try space.allow(Array(target)) ? bus.publish(space) : nil
        }
        before?.free()
    }

    /// Gives a prefix its resolver; nil takes it away. The content is destroyed if this fails.
    ///
    /// - Returns: *ok*, or *pending* while the one before it is running inside a handler.
    /// - Throws: *invalidIdentifier*, *conflict* (a prefix of the library's own), *limitExceeded*, *invalidHandle*, *outOfMemory*.
    package static func setResolver(
        of prefix: UnsafeRawBufferPointer, _ handle: Handle, _ content: RegistrationContent?
    ) throws(CrosstieError) -> Status {
        do throws(CrosstieError) {
            let prefix = try checkedPrefix(prefix)
            let (space, resolver) = try withState(handle) { bus, _ throws(CrosstieError) in
                try put(content, prefix, bus)
            }
            space?.free()
            return resolver?.end() ?? .ok
        } catch {
            content?.destroy()
            throw error
        }
    }

    private static func checkedPrefix(_ prefix: UnsafeRawBufferPointer) throws(CrosstieError) -> [UInt8] {
        guard prefix.count <= PerformTarget.maximumPrefixSize else {
            throw CrosstieError(
                .limitExceeded, "a prefix has at most \(PerformTarget.maximumPrefixSize) bytes", at: "prefix")
        }
        guard PerformTarget.isPrefix(prefix[...]) else {
            throw CrosstieError(
                .invalidIdentifier,
                "\(Quotation.quoted(prefix)) is not a prefix: a letter, then letters and digits", at: "prefix")
        }
        let bytes = Array(prefix)
        guard !PerformerSpace.ownPrefixes.contains(bytes) else {
            throw CrosstieError(.conflict, "the library has its own resolver of that prefix", at: "prefix")
        }
        return bytes
    }

    /// With the lock held. Returns the space to free and the registration to end.
    private static func put(
        _ content: RegistrationContent?, _ prefix: [UInt8], _ bus: Pointer
    ) throws(CrosstieError) -> (PerformerSpace.Pointer?, RegistrationRecord.Pointer?) {
        var space = try performer(of: bus)
        guard content == nil || space.hasRoom(forPrefix: prefix) else {
            throw CrosstieError(
                .limitExceeded, "a bus has at most \(PerformerSpace.maximumResolvers) resolvers", at: "prefix")
        }
        let before = space.set(prefix, to: try resolver(content, of: prefix, on: bus))
        let resolver = before == 0 ? nil : RegistrationRecord.at(before)
        resolver?.leaveBus()
        return (bus.publish(space), resolver)
    }

    /// The index of the new registration of a prefix's resolver; 0 for none. With the lock held.
    private static func resolver(
        _ content: RegistrationContent?, of prefix: [UInt8], on bus: Pointer
    ) throws(CrosstieError) -> UInt32 {
        guard var content else { return 0 }
        content.name = String(decoding: prefix, as: UTF8.self)
        guard let registration = RegistrationRecord.make(content.performing, on: bus) else {
            throw CrosstieError(.outOfMemory, "no room for another registration")
        }
        return registration.pointee.header.index
    }

    /// A copy of a bus's performer space; at first the library's own resolvers. With the lock held.
    private static func performer(of bus: Pointer) throws(CrosstieError) -> PerformerSpace {
        if let space = bus.performer { return space.pointee }
        let own = PerformerSpace(own: [
            CSymbols.prefix: try resolver(CSymbols.content, of: CSymbols.prefix, on: bus),
            SwiftPerformers.prefix: try resolver(SwiftPerformers.content, of: SwiftPerformers.prefix, on: bus),
        ])
        _ = bus.publish(own)
        return own
    }

    /// The Swift performers of a bus.
    static func swiftPerformers(_ handle: Handle) throws(CrosstieError) -> SwiftPerformers {
        try withState(handle) { bus, _ throws(CrosstieError) in
            let index = try performer(of: bus).resolver(ofPrefix: SwiftPerformers.prefix)
            let context = RegistrationRecord.at(index)?.pointee.context
            guard let performers = CallbackContext.object(context?.pointer, as: SwiftPerformers.self) else {
                throw CrosstieError(.closed, "the bus has no Swift performers any more")
            }
            return performers
        }
    }
}

extension RegistrationContent {
    /// The same for a handler whose refusal leaves a request to the performer's fallback.
    package var performing: RegistrationContent {
        var content = self
        content.traits.insert(.performing)
        return content
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// The bus's performer; nil before any target is allowed. Read it inside a read section, or with the lock.
    var performer: PerformerSpace.Pointer? {
        PerformerSpace.Pointer(bitPattern: pointee.performer.load(ordering: .acquiring))
    }

    /// Shows readers a space. Returns the one before, which may still be read. With the lock held.
    fileprivate func publish(_ space: PerformerSpace) -> PerformerSpace.Pointer? {
        let fresh = PerformerSpace.Pointer.allocate(capacity: 1)
        fresh.initialize(to: space)
        _ = pointee.state?.part(PerformerPart.self)
        let before = pointee.performer.exchange(UInt(bitPattern: fresh), ordering: .acquiringAndReleasing)
        return PerformerSpace.Pointer(bitPattern: before)
    }
}

extension UnsafeMutablePointer where Pointee == PerformerSpace {
    /// Frees a space that readers no longer find, once the readers that had found it are done.
    func free() {
        ReadSide.waitForReaders()
        deinitialize(count: 1)
        deallocate()
    }
}
