import CCrosstie
import Crosstie

@_cdecl("ctie_bus_stats") @implementation
public func ctie_bus_stats(_ bus: OpaquePointer?, _ out: HandleOut, _ error: ErrorOut) -> ctie_status {
    list(out, error) { () throws(CrosstieError) in try BusRecord.stats(Handle(bus)).map(\.value) }
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
