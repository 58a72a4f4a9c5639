import CCrosstie
import Crosstie
import CrosstieWormhole

// A `ctie_message` is a reference to a Message.

@_cdecl("ctie_wormhole_message") @implementation
public func ctie_wormhole_message(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        guard let message = try core(wormhole).message(try bytes(identifier)) else {
            let name = String(decoding: identifier.bytes ?? .empty, as: UTF8.self)
            throw CrosstieError(.notFound, "nothing is stored under '\(name)'")
        }
        out.pointee = OpaquePointer(Unmanaged.passRetained(message).toOpaque())
    }
}

@_cdecl("ctie_message_kind") @implementation
public func ctie_message_kind(_ message: OpaquePointer?) -> Int32 {
    peek(message)?.kind.rawValue ?? 0
}

@_cdecl("ctie_message_status") @implementation
public func ctie_message_status(_ message: OpaquePointer?) -> ctie_status {
    peek(message)?.status.rawValue ?? CTIE_E_INVALID.status
}

@_cdecl("ctie_message_identifier") @implementation
public func ctie_message_identifier(_ message: OpaquePointer?) -> ctie_str {
    peek(message).map { ctie_str($0.identifierBytes) } ?? ctie_str()
}

@_cdecl("ctie_message_value") @implementation
public func ctie_message_value(_ message: OpaquePointer?) -> OpaquePointer? {
    peek(message)?.content?.pointer
}

@_cdecl("ctie_message_sequence") @implementation
public func ctie_message_sequence(_ message: OpaquePointer?) -> UInt64 {
    peek(message)?.sequence ?? 0
}

@_cdecl("ctie_message_time") @implementation
public func ctie_message_time(_ message: OpaquePointer?) -> Int64 {
    peek(message)?.time ?? 0
}

@_cdecl("ctie_message_sender_pid") @implementation
public func ctie_message_sender_pid(_ message: OpaquePointer?) -> Int32 {
    peek(message)?.senderPID ?? 0
}

@_cdecl("ctie_message_sender_name") @implementation
public func ctie_message_sender_name(_ message: OpaquePointer?) -> ctie_str {
    peek(message).map { ctie_str($0.senderNameBytes) } ?? ctie_str()
}

@_cdecl("ctie_message_missed") @implementation
public func ctie_message_missed(_ message: OpaquePointer?) -> UInt64 {
    peek(message)?.missed ?? 0
}

@_cdecl("ctie_message_delivery_count") @implementation
public func ctie_message_delivery_count(_ message: OpaquePointer?) -> UInt32 {
    peek(message)?.deliveryCount ?? 0
}

@_cdecl("ctie_message_reason") @implementation
public func ctie_message_reason(_ message: OpaquePointer?) -> ctie_str {
    peek(message).map { ctie_str($0.reasonBytes) } ?? ctie_str()
}

@_cdecl("ctie_message_expires") @implementation
public func ctie_message_expires(_ message: OpaquePointer?) -> Int64 {
    peek(message)?.expires ?? 0
}

@_cdecl("ctie_message_header") @implementation
public func ctie_message_header(_ message: OpaquePointer?, _ name: ctie_str) -> ctie_str {
    guard let name = name.bytes, let value = peek(message)?.tags?.value(of: name) else { return ctie_str() }
    return ctie_str(value)
}

@_cdecl("ctie_message_header_count") @implementation
public func ctie_message_header_count(_ message: OpaquePointer?) -> Int {
    peek(message)?.tags?.count ?? 0
}

@_cdecl("ctie_message_header_at") @implementation
public func ctie_message_header_at(
    _ message: OpaquePointer?, _ index: Int, _ name: UnsafeMutablePointer<ctie_str>?,
    _ value: UnsafeMutablePointer<ctie_str>?
) -> Bool {
    guard let pair = peek(message)?.tags?[index] else { return false }
    name?.pointee = ctie_str(pair.name)
    value?.pointee = ctie_str(pair.value)
    return true
}

@_cdecl("ctie_message_retain") @implementation
public func ctie_message_retain(_ message: OpaquePointer?) -> OpaquePointer? {
    if let message { _ = Unmanaged<Message>.fromOpaque(UnsafeRawPointer(message)).retain() }
    return message
}

@_cdecl("ctie_message_release") @implementation
public func ctie_message_release(_ message: OpaquePointer?) {
    if let message { Unmanaged<Message>.fromOpaque(UnsafeRawPointer(message)).release() }
}

@_cdecl("ctie_message_acknowledge") @implementation
public func ctie_message_acknowledge(_ message: OpaquePointer?) -> ctie_status {
    (peek(message)?.acknowledge() ?? .invalidArgument).rawValue
}

@_cdecl("ctie_message_reject") @implementation
public func ctie_message_reject(_ message: OpaquePointer?, _ delay: Int64, _ reason: ctie_str) -> ctie_status {
    guard let message = peek(message), let reason = reason.bytes else { return CTIE_E_INVALID.status }
    // Bytes over the limit are not copied; a character cut by it is dropped later.
    let text = reason.isEmpty ? "" : String(decoding: reason.prefix(1004), as: UTF8.self)
    return message.reject(
        afterNanoseconds: UInt64(exactly: delay).map { min($0, 1 << 40) &* 1_000_000 }, reason: text
    ).rawValue
}

/// The message behind a pointer, which its caller keeps alive.
@inline(__always)
private func peek(_ message: OpaquePointer?) -> Message? {
    message.map { Unmanaged<Message>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}
