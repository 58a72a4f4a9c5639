import CCrosstie
import Crosstie
import CrosstieWormhole

@_cdecl("ctie_wormhole_send") @implementation
public func ctie_wormhole_send(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ value: OpaquePointer?,
    _ given: UnsafePointer<ctie_send_options>?, _ sequence: UnsafeMutablePointer<UInt64>?,
    _ listeners: UnsafeMutablePointer<UInt32>?, _ error: ErrorOut
) -> ctie_status {
    let content = ValueRef(value)
    defer { content?.release() }
    return change(wormhole, sequence, listeners, error) { core throws(CrosstieError) in
        let identifier = try bytes(identifier)
        if given == nil, let content { return try core.send(identifier, content) }
        let given = try options(given, .send, default: ctie_send_options())
        let isSignal = given.flags & UInt32(CTIE_SEND_SIGNAL) != 0
        guard isSignal == (content == nil) else {
            throw CrosstieError(.invalidArgument, isSignal ? "a signal has no value" : "value is NULL")
        }
        let flags = CTIE_SEND_SIGNAL | CTIE_SEND_NOW | CTIE_SEND_LASTING | CTIE_SEND_NOT_ATOMIC
        return try core.send(identifier, content, try sendOptions(given, flags))
    }
}

@_cdecl("ctie_wormhole_send_many") @implementation
public func ctie_wormhole_send_many(
    _ wormhole: OpaquePointer?, _ messages: UnsafePointer<ctie_outgoing>?, _ count: Int,
    _ terms: UnsafePointer<ctie_send_options>?, _ sequence: UnsafeMutablePointer<UInt64>?, _ error: ErrorOut
) -> ctie_status {
    let isAligned = UInt(bitPattern: messages) % UInt(MemoryLayout<ctie_outgoing>.alignment) == 0
    let isReadable = messages != nil && isAligned && (0...WormholeCore.maximumMessages).contains(count)
    let given = UnsafeBufferPointer(start: messages, count: isReadable ? count : 0)
    defer { for message in given { ValueRef(message.value)?.release() } }
    return answer(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        guard messages != nil, isAligned else {
            throw CrosstieError(.invalidArgument, "messages is NULL or misaligned")
        }
        let terms = try options(terms, .send, default: ctie_send_options())
        let chosen = try sendOptions(terms, CTIE_SEND_NOW | CTIE_SEND_LASTING | CTIE_SEND_NOT_ATOMIC)
        // A `size_t` over `PTRDIFF_MAX` arrives as a negative number.
        let first = try core.send(count: count < 0 ? Int.max : count, chosen) { index throws(CrosstieError) in
            OutgoingMessage(try bytes(given[index].identifier), ValueRef(given[index].value))
        }
        sequence?.pointee = first
    }
}

private func sendOptions(_ given: ctie_send_options, _ flags: Int) throws(CrosstieError) -> SendOptions {
    try checkFlags(given.flags, among: flags)
    try checkFlags(given.reserved, among: 0, at: "options.reserved")
    var chosen = SendOptions()
    chosen.isAtomic = given.flags & UInt32(CTIE_SEND_NOT_ATOMIC) == 0
    chosen.headers = try headers(given)
    chosen.token = try token(given.token)
    let (isNow, isLasting) = (given.flags & UInt32(CTIE_SEND_NOW) != 0, given.flags & UInt32(CTIE_SEND_LASTING) != 0)
    guard !isLasting || given.expires_ms == 0 else {
        throw CrosstieError(
            .invalidArgument, "expires_ms and CTIE_SEND_LASTING exclude each other", at: "options.expires_ms")
    }
    if isLasting { chosen.expires = .never } else if given.expires_ms != 0 { chosen.expires = .after(given.expires_ms) }
    guard [isNow, given.delay_ms != 0, given.not_before != 0].count(where: { $0 }) <= 1 else {
        throw CrosstieError(
            .invalidArgument, "CTIE_SEND_NOW, delay_ms and not_before exclude one another", at: "options.not_before")
    }
    guard given.not_before >= 0 else {
        throw CrosstieError(
            .invalidArgument, "not_before is before 1970: \(given.not_before)", at: "options.not_before")
    }
    if isNow { chosen.begins = .now }
    if given.delay_ms != 0 { chosen.begins = .after(given.delay_ms) }
    if given.not_before != 0 { chosen.begins = .at(given.not_before) }
    return chosen
}

private func token(_ given: ctie_bytes) throws(CrosstieError) -> StepToken? {
    guard given.size != 0 else { return nil }
    let bytes = given.data.flatMap { UnsafeRawBufferPointer(start: $0, count: min(given.size, StepToken.size + 1)) }
    guard given.size == StepToken.size, let bytes, let token = StepToken(bytes) else {
        throw CrosstieError(.invalidArgument, "a token has \(StepToken.size) bytes", at: "options.token")
    }
    return token
}

private func headers(_ given: ctie_send_options) throws(CrosstieError) -> [(name: [UInt8], value: [UInt8])] {
    guard given.header_count != 0 else { return [] }
    let alignment = UInt(MemoryLayout<ctie_header>.alignment)
    guard let items = given.headers, UInt(bitPattern: items) % alignment == 0 else {
        throw CrosstieError(.invalidArgument, "headers is NULL or misaligned", at: "options.headers")
    }
    guard (1...MessageTags.maximumCount).contains(given.header_count) else {
        throw CrosstieError(.limitExceeded, "over \(MessageTags.maximumCount) headers", at: "options.headers")
    }
    var found: [(name: [UInt8], value: [UInt8])] = []
    for item in UnsafeBufferPointer(start: items, count: given.header_count) {
        let name = try text(item.name, named: "a header's name", limit: MessageTags.maximumNameSize)
        let value = try text(item.value, named: "a header", limit: MessageTags.maximumSize)
        found.append((Array(name), Array(value)))
    }
    return found
}

@_cdecl("ctie_wormhole_scheduled") @implementation
public func ctie_wormhole_scheduled(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in
        try core(wormhole).scheduled(try bytes(identifier)).map { message in
            var headers = ValueMap()
            for (name, text) in message.headers.sorted(by: { $0.key < $1.key }) { headers[name] = .string(text) }
            return [
                "number": .int(Int64(clamping: message.number)), "identifier": .string(message.identifier),
                "kind": .string(message.kind == .signal ? "signal" : "value"), "not_before": .int(message.notBefore),
                "sent": .int(message.sent), "expires": message.expires == 0 ? .null : .int(message.expires),
                "size": .int(Int64(message.size)), "pid": .int(Int64(message.senderPID)),
                "name": .string(message.senderName), "headers": .map(headers),
            ]
        }
    }
}

@_cdecl("ctie_wormhole_cancel_scheduled") @implementation
public func ctie_wormhole_cancel_scheduled(
    _ wormhole: OpaquePointer?, _ sequence: UInt64, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        guard try core(wormhole).cancelScheduled(sequence) else {
            throw CrosstieError(.notFound, "no message of the number \(sequence) waits")
        }
    }
}
