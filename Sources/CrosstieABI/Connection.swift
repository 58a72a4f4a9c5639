import CCrosstie
import Crosstie
import CrosstieWormhole

@_cdecl("ctie_wormhole_connection") @implementation
public func ctie_wormhole_connection(
    _ wormhole: OpaquePointer?, _ out: HandleOut, _ error: ErrorOut
) -> ctie_status {
    out?.pointee = nil
    return answer(error) { () throws(CrosstieError) in
        guard let out else { throw missing("out") }
        out.pointee = try core(wormhole).connection().value.makeRef().pointer
    }
}
