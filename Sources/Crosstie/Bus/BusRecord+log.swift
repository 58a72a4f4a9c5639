internal import CCrosstie
import Synchronization

/// How much a line of the log matters.
public enum LogLevel: Int32, Sendable {
    case debug = 0
    case info = 1
    case warning = 2
    case error = 3
}

/// Where a bus logs.
extension BusRecord {
    /// Sets the log's callback; nil makes the bus silent. The content's context is destroyed if this fails.
    package static func setLog(_ handle: Handle, _ content: RegistrationContent?) -> Status {
        let resolved = resolve(handle)
        guard case .live(let bus) = resolved else {
            content?.context.destroy()
            return resolved.status
        }
        guard let content else { return replaceLog(of: bus, with: 0) }
        guard let registration = Registration.make(content, on: bus) else {
            content.context.destroy()
            return .noMemory
        }
        return replaceLog(of: bus, with: registration.pointee.header.index)
    }

    /// Puts a registration in the log's place and ends the one before it.
    static func replaceLog(of bus: Pointer, with index: UInt32) -> Status {
        let before = bus.pointee.log.exchange(index, ordering: .acquiringAndReleasing)
        guard before != 0, let registration = Registration.at(before) else { return .ok }
        registration.retireHandle()
        return registration.end()
    }

    /// Writes a line about a request to its bus's log, if the bus lives and has one.
    static func write(about block: RequestBlock.Pointer, _ level: LogLevel, _ message: String) {
        let bus = block.pointee.bus
        let slot = ThreadSlot.current
        guard slot.hasRoomForCallback else { return }
        ReadSide.enter(slot)
        guard block.isBusLive, let registration = Registration.at(bus.pointee.log.load(ordering: .acquiring)),
            let log = registration.pointee.log
        else {
            ReadSide.leave(slot)
            return
        }
        slot.push(registration.pointee.header.index, nil, isTrusted: slot.isTrusted)
        ReadSide.leave(slot)
        var message = message
        message.withUTF8 { text in
            UnsafeRawBufferPointer(text).withMemoryRebound(to: CChar.self) { text in
                let message = ctie_str(data: text.baseAddress, size: text.count)
                log(level.rawValue, message, registration.pointee.context.pointer)
            }
        }
        slot.pop()
        registration.didReturn()
    }
}
