@testable import Crosstie
@testable import CrosstieWormhole

/// What lies below a wormhole that keeps its messages as records, for tests that look there.
extension WormholeCore {
    private var records: RecordTransport { unsafeDowncast(transport, to: RecordTransport.self) }

    var group: Group { records.group }
    var slot: Int { records.slot }
    var sender: Sender { records.sender }
    var timeout: UInt64 { records.timeout }
    var memberID: UInt64 { records.memberID }
}
