import CCrosstie
import Crosstie

@_cdecl("ctie_bus_stats") @implementation
public func ctie_bus_stats(_ bus: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = nil
    return answer(nil) { () throws(CrosstieError) in
        let stats = try BusRecord.stats(Handle(bus))
        out.pointee = try Value.list(stats.map(\.value)).makeRef().pointer
    }
}

extension RequestStats {
    fileprivate var value: Value {
        .map(
            ValueMap([
                ("kind", .string(kind.name)), ("name", .string(name)), ("count", .int(count)),
                ("failures", .int(failures)), ("nanoseconds", .int(nanoseconds)), ("longest", .int(longestNanoseconds)),
            ]))
    }
}
