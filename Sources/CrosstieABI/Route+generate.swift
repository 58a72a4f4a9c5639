import CCrosstie
import Crosstie

@_cdecl("ctie_generate") @implementation
public func ctie_generate(
    _ bus: OpaquePointer?, _ pattern: ctie_str, _ params: OpaquePointer?, _ out: HandleOut, _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(detail) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let pattern = try text(pattern, named: "pattern", limit: URLLimits.url)
        let scheme = bus == nil ? "" : try BusRecord.withState(Handle(bus)) { _, state in state.defaultScheme }
        let params = try (ValueRef(params) ?? .null).materialized()
        defer { params.release() }
        out.pointee = try Generation.reference(pattern, params, defaultScheme: scheme).pointer
    }
}

@_cdecl("ctie_generate_named") @implementation
public func ctie_generate_named(
    _ bus: OpaquePointer?, _ name: ctie_str, _ params: OpaquePointer?, _ query: OpaquePointer?, _ out: HandleOut,
    _ detail: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(detail) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        let name = try string(name, named: "name", limit: Name.maximumSize)
        let params = try (ValueRef(params) ?? .null).materialized()
        defer { params.release() }
        let query = try (ValueRef(query) ?? .null).materialized()
        defer { query.release() }
        out.pointee = try Generation.reference(ofRoute: name, on: Handle(bus), params, query: query).pointer
    }
}
