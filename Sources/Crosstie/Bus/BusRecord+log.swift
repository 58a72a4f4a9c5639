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
        do throws(CrosstieError) {
            // Looked up under the lock, or it could be put on a bus that has closed, where nobody would ever end it.
            let before = try withState(handle) { bus, _ throws(CrosstieError) in
                replaceLog(of: bus, with: try makeLog(content, on: bus))
            }
            return before?.end() ?? .ok
        } catch {
            content?.context.destroy()
            return error.status
        }
    }

    private static func makeLog(_ content: RegistrationContent?, on bus: Pointer) throws(CrosstieError) -> UInt32 {
        guard let content else { return 0 }
        guard let registration = Registration.make(content, on: bus) else {
            throw CrosstieError(.noMemory, "no room for another registration")
        }
        return registration.pointee.header.index
    }

    /// Puts a registration in the log's place, with the lock held. Gives the one before it, which is to be ended.
    static func replaceLog(of bus: Pointer, with index: UInt32) -> Registration.Pointer? {
        let before = bus.pointee.log.exchange(index, ordering: .acquiringAndReleasing)
        guard before != 0, let registration = Registration.at(before) else { return nil }
        registration.leaveBus()
        return registration
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
