import CCrosstie
import Crosstie
import CrosstieWormhole

@_cdecl("ctie_wormhole_dead_letters") @implementation
public func ctie_wormhole_dead_letters(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str, _ after: UInt64, _ limit: Int,
    _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in
        // A `size_t` over `PTRDIFF_MAX` arrives as a negative number, which is over the limit, too.
        try core(wormhole)
            .deadLetters(
                try bytes(identifier), name: try durableName(name), after: after, limit: limit == 0 ? nil : limit
            )
            .map { letter in
                [
                    "sequence": .int(Int64(clamping: letter.sequence)), "kind": .string(kindName(letter.kind)),
                    "identifier": .string(letter.identifier), "size": .int(Int64(letter.size)),
                    "time": .int(letter.time),
                    "sender": ["pid": .int(Int64(letter.senderPID)), "name": .string(letter.senderName)],
                    "deliveries": .int(Int64(letter.deliveries)), "reason": .string(letter.reason),
                    "dead": .int(letter.diedAt), "sent_as": .int(Int64(clamping: letter.sentAs ?? 0)),
                ]
            }
    }
}

@_cdecl("ctie_wormhole_dead_letter") @implementation
public func ctie_wormhole_dead_letter(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str, _ sequence: UInt64, _ out: HandleOut,
    _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let found = try core(wormhole)
            .deadLetter(try bytes(identifier), name: try durableName(name), sequence: sequence)
        guard let found else { throw .noDeadLetter(sequence, of: name.bytes ?? .empty) }
        out.pointee = OpaquePointer(Unmanaged.passRetained(found).toOpaque())
    }
}

@_cdecl("ctie_wormhole_retry") @implementation
public func ctie_wormhole_retry(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str, _ sequence: UInt64,
    _ count: UnsafeMutablePointer<UInt64>?, _ error: ErrorOut
) -> ctie_status {
    reportCount(to: count, error) { applied throws(CrosstieError) in
        try core(wormhole)
            .retry(
                try bytes(identifier), name: try durableName(name), sequence: sequence == 0 ? nil : sequence,
                count: &applied)
    }
}

@_cdecl("ctie_wormhole_drop") @implementation
public func ctie_wormhole_drop(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str, _ sequence: UInt64,
    _ count: UnsafeMutablePointer<UInt64>?, _ error: ErrorOut
) -> ctie_status {
    reportCount(to: count, error) { applied throws(CrosstieError) in
        try core(wormhole)
            .drop(
                try bytes(identifier), name: try durableName(name), sequence: sequence == 0 ? nil : sequence,
                count: &applied)
    }
}

/// Applies `body` to dead letters and reports their number, also after a failure in the middle.
private func reportCount(
    to count: UnsafeMutablePointer<UInt64>?, _ error: ErrorOut, _ body: (inout UInt64) throws(CrosstieError) -> Void
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        var applied: UInt64 = 0
        defer { count?.pointee = applied }
        try body(&applied)
    }
}

/// The library has no names of cases that it could look up.
private func kindName(_ kind: MessageKind) -> String {
    switch kind {
    case .signal: "signal"
    case .destroyed: "destroyed"
    default: "value"
    }
}

/// The error for a name that no durable consumer has.
func noDurable(_ name: ctie_str) -> CrosstieError {
    CrosstieError.noDurable(named: Array((name.bytes ?? .empty).prefix(256)))
}

/// A name that a durable consumer may have; *notFound* for any other.
private func durableName(_ name: ctie_str) throws(CrosstieError) -> [UInt8] {
    guard let bytes = name.bytes else { throw missing("name", " or has no valid size") }
    // A longer one cannot exist and is not copied.
    return Array(bytes.prefix(256))
}
