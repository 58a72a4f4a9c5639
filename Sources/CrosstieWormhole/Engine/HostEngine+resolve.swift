internal import CCrosstie

/// The outcomes of messages of durable consumers.
extension HostEngine {
    func resolve(_ number: UInt64, _ answers: [Answer]) {
        var texts: [UInt8] = []
        for answer in answers { if case .rejected(let rejection) = answer.outcome { texts += rejection.reason } }
        texts.withUnsafeBytes { texts in
            var given: [ctie_engine_answer] = []
            var position = 0
            for answer in answers {
                guard var item = ctie_engine_answer(answer) else { continue }
                let end = position + item.reason.size
                item.reason = EngineBytes.lend(UnsafeRawBufferPointer(rebasing: texts[position..<end]))
                position = end
                given.append(item)
            }
            given.withUnsafeBufferPointer { given in
                guard let first = given.baseAddress, !given.isEmpty else { return }
                calls.call { functions.resolve?(context, number, first, given.count) }
            }
        }
    }
}

extension ctie_engine_answer {
    /// With the size of its reason only. Nil for an outcome of something else than a delivery.
    fileprivate init?(_ answer: Answer) {
        self.init()
        size = MemoryLayout<ctie_engine_answer>.size
        claim = UInt64(bitPattern: answer.since)
        switch answer.outcome {
        case .acknowledged: outcome = UInt32(CTIE_ENGINE_ACKNOWLEDGED)
        case .rejected(let rejection):
            outcome = UInt32(CTIE_ENGINE_REJECTED)
            reason.size = rejection.reason.count
            // The part of the pause that is left.
            let passed = Clock.now() &- min(rejection.time, Clock.now())
            delay_ns = rejection.pause.map { Int64(clamping: $0 &- min($0, passed)) } ?? -1
        case .left: outcome = UInt32(CTIE_ENGINE_LEFT)
        case .undelivered: outcome = UInt32(CTIE_ENGINE_UNDELIVERED)
        case .removed, .missed: return nil
        }
    }
}
