@testable import Crosstie

/// Short forms for tests of cursors whose names have no dead letters.
extension Answer.Outcome {
    static func rejected(notBefore time: UInt64) -> Answer.Outcome { .rejected(.init(time: time, pause: 0)) }
}

extension CursorState {
    /// What is to wait for its next try goes to `waiting`.
    mutating func settle(_ answers: [Answer], of owner: UInt64, waiting: inout [WaitingMessage]) -> Bool {
        var failed = Failed()
        defer { waiting += failed.waiting }
        return settle(answers, of: owner, DurableOptions(), &failed)
    }
}
