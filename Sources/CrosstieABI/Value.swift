import CCrosstie
import Crosstie

@_cdecl("ctie_value_null") @implementation
public func ctie_value_null() -> OpaquePointer? { ValueRef.null.pointer }

@_cdecl("ctie_value_bool") @implementation
public func ctie_value_bool(_ value: Bool) -> OpaquePointer? { ValueRef.bool(value).pointer }

@_cdecl("ctie_value_int") @implementation
public func ctie_value_int(_ value: Int64) -> OpaquePointer? { ValueRef.pointer(to: value) }

@_cdecl("ctie_value_double") @implementation
public func ctie_value_double(_ value: Double) -> OpaquePointer? { (try? ValueRef.double(value))?.pointer }

@_cdecl("ctie_value_string") @implementation
public func ctie_value_string(_ text: ctie_str) -> OpaquePointer? {
    text.bytes.flatMap { try? ValueRef.string($0) }?.pointer
}

@_cdecl("ctie_value_bytes") @implementation
public func ctie_value_bytes(_ bytes: ctie_str) -> OpaquePointer? {
    bytes.bytes.flatMap { try? ValueRef.bytes($0) }?.pointer
}

@_cdecl("ctie_value_list") @implementation
public func ctie_value_list(_ items: UnsafePointer<OpaquePointer?>?, _ count: Int) -> OpaquePointer? {
    guard isCount(count), items != nil || count == 0 else { return nil }
    // A ValueRef is a `ctie_value *` bit for bit, with zero for NULL.
    let start = UnsafeRawPointer(items)?.assumingMemoryBound(to: ValueRef.self)
    let refs = UnsafeBufferPointer(start: start, count: count)
    if let list = try? ValueRef.list(taking: refs) { return list.pointer }
    for item in UnsafeBufferPointer(start: items, count: count) { ctie_value_release(item) }
    return nil
}

@_cdecl("ctie_value_map") @implementation
public func ctie_value_map(_ pairs: UnsafePointer<ctie_pair>?, _ count: Int) -> OpaquePointer? {
    guard isCount(count), pairs != nil || count == 0 else { return nil }
    // A MapItem has the layout of a `ctie_pair`.
    let start = UnsafeRawPointer(pairs)?.assumingMemoryBound(to: MapItem.self)
    let items = UnsafeBufferPointer(start: start, count: count)
    let pairs = UnsafeBufferPointer(start: pairs, count: count)
    if pairs.allSatisfy({ isKey($0.key) }), let map = try? ValueRef.map(taking: items) { return map.pointer }
    for pair in pairs { ctie_value_release(pair.value) }
    return nil
}

/// A `size_t` that is a count of entries; those over `PTRDIFF_MAX` arrive as negative numbers.
private func isCount(_ count: Int) -> Bool { count >= 0 && count <= ValueRef.maxCount }

private func isKey(_ key: ctie_str) -> Bool {
    guard let bytes = key.bytes, bytes.count <= ValueRef.maxSize else { return false }
    return isUTF8(bytes)
}

@_cdecl("ctie_value_retain") @implementation
public func ctie_value_retain(_ value: OpaquePointer?) -> OpaquePointer? {
    ValueRef(value)?.retain()
    return value
}

@_cdecl("ctie_value_release") @implementation
public func ctie_value_release(_ value: OpaquePointer?) {
    ValueRef(value)?.release()
}

@_cdecl("ctie_value_equal") @implementation
public func ctie_value_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Bool {
    guard let left = ValueRef(left), let right = ValueRef(right) else { return false }
    return left.isEqual(to: right)
}
