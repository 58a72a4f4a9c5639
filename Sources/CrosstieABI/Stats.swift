import CCrosstie
import Crosstie

@_cdecl("ctie_bus_stats") @implementation
public func ctie_bus_stats(_ bus: OpaquePointer?, _ out: HandleOut) -> ctie_status {
    guard let out else { return CTIE_E_INVALID.status }
    out.pointee = nil
    return answer(nil) { () throws(CrosstieError) in
        let statistics = try BusRecord.statistics(Handle(bus))
        out.pointee = try Value.list(statistics.map(\.value)).makeRef().pointer
    }
}

extension RequestStatistics {
    fileprivate var value: Value {
        .map(
            ValueMap([
                ("door", .string(door.name)), ("name", .string(name)), ("count", .int(count)),
                ("failures", .int(failures)), ("nanoseconds", .int(nanoseconds)), ("longest", .int(longest)),
            ]))
    }
}
