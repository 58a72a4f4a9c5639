import CCrosstie
import Crosstie
import CrosstieWormhole

@_cdecl("ctie_wormhole_declare") @implementation
public func ctie_wormhole_declare(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str,
    _ given: UnsafePointer<ctie_durable_options>?, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        let given = try options(given, .durable, default: ctie_durable_options())
        let known = UInt32(CTIE_DURABLE_FROM_OLDEST | CTIE_DURABLE_CHANGE)
        try checkFlags(given.flags, among: Int(known))
        try checkFlags(given.reserved, among: 0, at: "options.reserved")
        try core.declare(
            try bytes(identifier), name: Array(try text(name, named: "name", limit: 128)), try durableOptions(given),
            fromOldest: given.flags & UInt32(CTIE_DURABLE_FROM_OLDEST) != 0,
            mayChange: given.flags & UInt32(CTIE_DURABLE_CHANGE) != 0)
    }
}

private func durableOptions(_ given: ctie_durable_options) throws(CrosstieError) -> DurableOptions {
    guard let whenFull = DurableOptions.WhenFull(rawValue: given.when_full) else {
        throw CrosstieError(
            .invalidArgument, "when_full is one of CTIE_FULL_…, not \(given.when_full)", at: "options.when_full")
    }
    var chosen = DurableOptions()
    chosen.maximumDeliveries = given.max_deliveries
    chosen.deadLetter = Array(try text(given.dead_letter, named: "dead_letter", limit: 128))
    if given.backoff_first_ms != 0 {
        chosen.backOff.first = Clock.nanoseconds(milliseconds: given.backoff_first_ms)
    }
    if given.backoff_most_ms != 0 {
        chosen.backOff.most = Clock.nanoseconds(milliseconds: given.backoff_most_ms)
    }
    if given.backoff_factor != 0 { chosen.backOff.factor = given.backoff_factor }
    chosen.backOff.jitter = given.backoff_jitter
    chosen.maximumMessages = given.max_messages
    chosen.maximumSize = given.max_size
    chosen.whenFull = whenFull
    chosen.expiry = Clock.nanoseconds(milliseconds: given.expires_ms)
    return chosen
}

@_cdecl("ctie_wormhole_durables") @implementation
public func ctie_wormhole_durables(_ wormhole: OpaquePointer?, _ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in try core(wormhole).durables().map(\.value) }
}

@_cdecl("ctie_wormhole_seek") @implementation
public func ctie_wormhole_seek(
    _ wormhole: OpaquePointer?, _ identifier: ctie_str, _ name: ctie_str, _ sequence: UInt64, _ time: Int64,
    _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        let core = try core(wormhole)
        guard (sequence == 0) != (time == 0) else {
            throw CrosstieError(.invalidArgument, "either a sequence or a time is given", at: "sequence")
        }
        guard let identifier = identifier.bytes, let name = name.bytes,
            try core.seek(
                identifier, name: Array(name.prefix(256)), to: sequence != 0 ? .sequence(sequence) : .time(time))
        else { throw noDurable(name) }
    }
}
