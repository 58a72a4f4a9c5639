@testable import Crosstie
@testable import CrosstieWormhole

/// Short forms for tests of cursors whose names have no dead letters.
extension Answer.Outcome {
    static func rejected(notBefore time: UInt64) -> Answer.Outcome { .rejected(.init(time: time, pause: 0)) }
}

extension CursorState {
    /// Reconciles answers; messages to be redelivered are added to `waiting`. Answers without a time are for the newest
    /// delivery.
    mutating func reconcile(_ answers: [Answer], of owner: UInt64, waiting: inout [WaitingMessage]) -> Bool {
        var failed = Failed()
        defer { waiting += failed.waiting }
        var known = answers
        for index in known.indices where known[index].since == 0 {
            let delivery = outstanding.first { $0.sequence == known[index].sequence }
            known[index].since = delivery?.since ?? 0
        }
        return reconcile(known, of: owner, DurableOptions(), &failed)
    }
}
