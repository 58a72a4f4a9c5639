import CCrosstie
import Crosstie

@_cdecl("ctie_value_kind") @implementation
public func ctie_value_kind(_ value: OpaquePointer?) -> ctie_kind {
    guard let ref = ValueRef(value) else { return ctie_kind(CTIE_KIND_NONE) }
    let kind = ref.kind
    guard kind == .foreign, ref.descriptor != nil else { return ctie_kind(kind.rawValue) }
    return ctie_kind(CTIE_KIND_DESCRIPTOR)
}

@_cdecl("ctie_value_get_bool") @implementation
public func ctie_value_get_bool(_ value: OpaquePointer?, _ out: UnsafeMutablePointer<Bool>?) -> ctie_status {
    read(value, out) { $0.boolValue }
}

@_cdecl("ctie_value_get_int") @implementation
public func ctie_value_get_int(_ value: OpaquePointer?, _ out: UnsafeMutablePointer<Int64>?) -> ctie_status {
    read(value, out) { $0.intValue }
}

@_cdecl("ctie_value_get_double") @implementation
public func ctie_value_get_double(_ value: OpaquePointer?, _ out: UnsafeMutablePointer<Double>?) -> ctie_status {
    read(value, out) { ref in ref.doubleValue ?? ref.intValue.flatMap { Double(exactly: $0) } }
}

@_cdecl("ctie_value_get_string") @implementation
public func ctie_value_get_string(_ value: OpaquePointer?, _ out: UnsafeMutablePointer<ctie_str>?) -> ctie_status {
    read(value, out) { $0.stringBytes.map { ctie_str($0) } }
}

@_cdecl("ctie_value_get_bytes") @implementation
public func ctie_value_get_bytes(_ value: OpaquePointer?, _ out: UnsafeMutablePointer<ctie_str>?) -> ctie_status {
    read(value, out) { $0.bytesValue.map { ctie_str($0) } }
}

/// Stores the result of `content` in `out`; nil means that the value is of another kind.
@inline(__always)
func read<Content>(
    _ value: OpaquePointer?, _ out: UnsafeMutablePointer<Content>?, _ content: (ValueRef) -> Content?
) -> ctie_status {
    guard let ref = ValueRef(value), let out else { return CTIE_E_INVALID.status }
    guard let found = content(ref) else { return CTIE_E_TYPE.status }
    out.pointee = found
    return CTIE_OK.status
}

@_cdecl("ctie_value_count") @implementation
public func ctie_value_count(_ value: OpaquePointer?) -> Int {
    ValueRef(value)?.count ?? 0
}

@_cdecl("ctie_value_at") @implementation
public func ctie_value_at(_ list: OpaquePointer?, _ index: Int) -> OpaquePointer? {
    ValueRef(list)?.item(at: index)?.pointer
}

@_cdecl("ctie_value_get") @implementation
public func ctie_value_get(_ map: OpaquePointer?, _ key: ctie_str) -> OpaquePointer? {
    guard let ref = ValueRef(map), let bytes = key.bytes else { return nil }
    return ref.value(for: bytes)?.pointer
}

@_cdecl("ctie_value_entry_at") @implementation
public func ctie_value_entry_at(
    _ map: OpaquePointer?, _ index: Int, _ key: UnsafeMutablePointer<ctie_str>?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?
) -> ctie_status {
    guard let ref = ValueRef(map) else { return CTIE_E_INVALID.status }
    guard ref.kind == .map else { return CTIE_E_TYPE.status }
    guard let entry = ref.entry(at: index) else { return CTIE_E_NOT_FOUND.status }
    key?.pointee = ctie_str(ref.key(of: entry))
    out?.pointee = entry.value.pointer
    return CTIE_OK.status
}
