import CCrosstie
import Crosstie

@_cdecl("ctie_foreign_register") @implementation
public func ctie_foreign_register(
    _ type: UnsafePointer<ctie_foreign_type>?, _ out: UnsafeMutablePointer<ctie_foreign_id>?, _ error: ErrorOut
) -> ctie_status {
    answer(error) { () throws(CrosstieError) in
        guard let type, let out else { throw CrosstieError(.invalidArgument, "type or out is NULL") }
        out.pointee = try ForeignTypes.register(try hooks(type))
    }
}

/// The hooks of a C description, which is read only as far as its size says.
private func hooks(_ type: UnsafePointer<ctie_foreign_type>) throws(CrosstieError) -> ForeignHooks {
    let type = try options(type, .foreignType, default: ctie_foreign_type())
    guard let tag = type.tag.bytes, let retain = type.retain, let release = type.release else {
        throw CrosstieError(.invalidArgument, "the tag, the retain or the release hook is missing")
    }
    return ForeignHooks(tag: tag, retain: retain, release: release, materialize: type.materialize)
}

@_cdecl("ctie_value_foreign") @implementation
public func ctie_value_foreign(_ type: ctie_foreign_id, _ object: UnsafeMutableRawPointer?) -> OpaquePointer? {
    guard let object else { return nil }
    return (try? ValueRef.foreign(type: type, object: object))?.pointer
}

@_cdecl("ctie_value_foreign_object") @implementation
public func ctie_value_foreign_object(
    _ value: OpaquePointer?, _ type: ctie_foreign_id, _ out: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> ctie_status {
    read(value, out) { ref in
        guard let foreign = ref.foreign, foreign.type == type else { return nil }
        return foreign.object
    }
}

@_cdecl("ctie_value_foreign_tag") @implementation
public func ctie_value_foreign_tag(_ value: OpaquePointer?, _ out: UnsafeMutablePointer<ctie_str>?) -> ctie_status {
    read(value, out) { $0.descriptor == nil ? $0.foreignTag.map { ctie_str($0) } : nil }
}

@_cdecl("ctie_value_materialize") @implementation
public func ctie_value_materialize(_ value: OpaquePointer?, _ out: ValueOut, _ error: ErrorOut) -> ctie_status {
    convert(value, out, error) { ref throws(CrosstieError) in try ref.materialized() }
}
