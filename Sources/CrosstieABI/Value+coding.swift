import CCrosstie
import Crosstie

/// The `out` argument for a value that an exported function makes.
public typealias ValueOut = UnsafeMutablePointer<OpaquePointer?>?

@_cdecl("ctie_value_from_json") @implementation
public func ctie_value_from_json(_ text: ctie_str, _ out: ValueOut, _ error: ErrorOut) -> ctie_status {
    decode(text, out, error, JSON.decode)
}

@_cdecl("ctie_value_from_msgpack") @implementation
public func ctie_value_from_msgpack(_ message: ctie_str, _ out: ValueOut, _ error: ErrorOut) -> ctie_status {
    decode(message, out, error) { message throws(CrosstieError) in try MessagePack.decode(message) }
}

@_cdecl("ctie_value_to_json") @implementation
public func ctie_value_to_json(
    _ value: OpaquePointer?, _ flags: UInt32, _ out: ValueOut, _ error: ErrorOut
) -> ctie_status {
    convert(value, out, error) { ref throws(CrosstieError) in
        let pretty = UInt32(CTIE_JSON_PRETTY)
        try checkFlags(flags, among: CTIE_JSON_PRETTY, at: "flags")
        return try JSON.encode(ref, pretty: flags & pretty != 0)
    }
}

@_cdecl("ctie_value_to_msgpack") @implementation
public func ctie_value_to_msgpack(_ value: OpaquePointer?, _ out: ValueOut, _ error: ErrorOut) -> ctie_status {
    convert(value, out, error, MessagePack.encode)
}

/// Makes a value of text or bytes and stores it in `out`.
private func decode(
    _ input: ctie_str, _ out: ValueOut, _ error: ErrorOut,
    _ decode: (UnsafeRawBufferPointer) throws(CrosstieError) -> ValueRef
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        guard let bytes = input.bytes else { throw missing("input", " or has no valid size") }
        out.pointee = try decode(bytes).pointer
    }
}

/// Makes a value of another one and stores it in `out`.
func convert(
    _ value: OpaquePointer?, _ out: ValueOut, _ error: ErrorOut,
    _ convert: (ValueRef) throws(CrosstieError) -> ValueRef
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let ref = ValueRef(value) else { throw CrosstieError(.invalidArgument, "the value is NULL") }
        guard let out else { throw missing("out") }
        out.pointee = try convert(ref).pointer
    }
}
