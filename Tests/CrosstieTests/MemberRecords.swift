@testable import Crosstie
@testable import CrosstieWormhole

/// The records below a wormhole, for tests that look there.
extension WormholeCore {
    private var records: RecordTransport {
        guard let records = transport.records else { fatalError("no test has an engine here") }
        return records
    }

    var group: Group { records.group }
    var slot: Int { records.slot }
    var sender: Sender { records.sender }
    var timeout: UInt64 { records.timeout }
    var memberID: UInt64 { records.memberID }
}
