package import CCrosstie

/// A provider's logger, in place of its bus's log.
package final class ProviderLog: @unchecked Sendable {
    private let function: ctie_provider_logger_fn
    private let context: CallbackContext

    package init(_ function: @escaping ctie_provider_logger_fn, _ context: CallbackContext) {
        self.function = function
        self.context = context
    }

    deinit { context.destroy() }

    /// The registered content. It is never called as a bus's log is.
    package var content: RegistrationContent {
        RegistrationContent(log: { _, _, _ in }, context: CallbackContext(holding: self))
    }

    fileprivate func write(_ line: ProviderLogLine) {
        function(line.message.lent, line.file.lent, line.function.lent, line.line, context.pointer)
    }
}

extension BusRecord {
    /// Logs for a provider: where its owner sends it, else to the bus's log.
    ///
    /// - Throws: *notFound*, *invalidHandle*.
    package static func writeForProvider(
        _ handle: Handle, named name: String, _ line: ProviderLogLine
    ) throws(CrosstieError) {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else { throw CrosstieError(resolved.status, "") }
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        guard bus.handle == handle,
            let provider = bus.providers?.pointee.providers.first(where: { $0.content.name == name })
        else {
            ReadSide.leave(slot)
            throw CrosstieError(.notFound, "there is no provider \(Quotation.quoted(name))", at: "provider")
        }
        let own = provider.log.load(ordering: .acquiring)
        guard own != 0, let registration = RegistrationRecord.at(own), slot.hasRoomForCallback else {
            ReadSide.leave(slot)
            return write(to: handle, .info, "\(name): \(String(decoding: line.message, as: UTF8.self))")
        }
        slot.push(own, nil, isTrusted: slot.isTrusted)
        ReadSide.leave(slot)
        CallbackContext.object(registration.pointee.context.pointer, as: ProviderLog.self)?.write(line)
        slot.pop()
        registration.didReturn()
    }
}

extension UnsafeRawBufferPointer {
    /// Lent to a callback.
    fileprivate var lent: ctie_str { ctie_str(data: baseAddress?.assumingMemoryBound(to: CChar.self), size: count) }
}

extension ctie_str {
    var string: String {
        String(decoding: UnsafeRawBufferPointer(start: data, count: size), as: UTF8.self)
    }
}
