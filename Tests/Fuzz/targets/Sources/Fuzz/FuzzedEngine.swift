import CCrosstie
@testable import Crosstie
@testable import CrosstieWormhole

/// An engine that delivers anything, and its listeners: two of states, a queue, and a durable consumer. The queue gets rising numbers.
/// Messages beyond the credit are refused, and the credit and the messages at once are at most the window. Each claim that was taken
/// has exactly one outcome.
final class FuzzedEngine {
    nonisolated(unsafe) static var current: FuzzedEngine?

    private let host: EngineHost
    private let feeds: [EngineFeed]
    private let topics: [Topic]
    /// By the numbers of the bindings.
    private var credit: [UInt64: Int] = [:]
    private var newest: [UInt64] = [0, 0, 0, 0]
    /// Claims that were taken and have no outcome yet.
    private var openClaims: Set<UInt64> = []
    /// Those of them that the listener has got.
    private var claims: Set<UInt64> = []
    private var kept: [Message] = []

    init() {
        var functions = ctie_engine()
        functions.bind = { _, number, how, _ in
            FuzzedEngine.current?.credit[number] = Int(how.pointee.credit)
            return 0
        }
        functions.credit = { _, number, count in FuzzedEngine.current?.raiseCredit(number, Int(count)) }
        functions.resolve = { _, _, answers, count in
            for index in 0..<count { FuzzedEngine.current?.resolve(answers[index].claim) }
        }
        functions.unbind = { _, _, _ in 0 }
        var options = WormholeOptions()
        options.maximumValueSize = 4 << 20
        host = EngineHost(HostEngine(functions, context: nil), options)
        var made: [(EngineFeed, Topic)] = []
        for (text, delivery) in [("q.a", 0), ("q.*", 0), ("*", 1), ("q.*", 2)] {
            var how = ListenOptions()
            how.delivery = delivery == 0 ? .state : delivery == 1 ? .queue : .durable
            how.isManual = delivery == 2
            how.maximumUnacknowledged = delivery == 2 ? 4 : nil
            how.name = delivery == 2 ? [0x77] : []
            guard let topic = try? Array(text.utf8).withBytes({ bytes throws(CrosstieError) in try Topic(bytes) })
            else {
                continue
            }
            made.append((EngineFeed(topic, how, of: host), topic))
        }
        (feeds, topics) = (made.map(\.0), made.map(\.1))
    }

    private var isStarted = false

    private func start() {
        isStarted = true
        for feed in feeds { demand((try? feed.start()) != nil, "a binding is refused") }
    }

    /// The first byte says to which listener, and whether it looks, answers, or is delivered something.
    func take(_ piece: UnsafeRawBufferPointer) {
        if !isStarted { start() }
        guard let first = piece.first else { return }
        let index = Int(first & 3)
        switch first >> 6 {
        case 0: collect(index)
        case 1: answer(first)
        default: deliver(piece.after(1), to: index, keepsCredit: first & 4 != 0)
        }
    }

    private func deliver(_ fields: UnsafeRawBufferPointer, to index: Int, keepsCredit: Bool) {
        let number = UInt64(index + 1)
        var message = ctie_engine_message()
        message.size = MemoryLayout<ctie_engine_message>.size
        message.kind = Int32(fields.number(1) & 7)
        message.flags = UInt32(fields.after(1).number(1) & 3)
        message.sequence = fields.after(2).number(2)
        message.claim = fields.after(4).number(1)
        message.delivery_count = UInt32(fields.after(5).number(1) & 7)
        message.expires = Int64(fields.after(6).number(1) & 1)
        let rest = fields.after(8)
        let size = min(Int(fields.after(7).number(1)), rest.count)
        message.identifier = EngineBytes.lend(UnsafeRawBufferPointer(rebasing: rest[..<size]))
        let value = rest.after(size)
        message.value = EngineBytes.lend(value: value)
        message.missed = fields.after(6).number(1)
        let before = credit[number] ?? 0
        let (status, returned) = withUnsafePointer(to: message) {
            host.deliver(number, UnsafeRawPointer($0), 1, keepsCredit: keepsCredit)
        }
        demand((status == .limitExceeded) == (before == 0), "\(status) with a credit of \(before)")
        demand(before > 0 || returned == 0, "credit comes back for a refused message")
        if before > 0 { raiseCredit(number, returned - 1) }
        if status == .ok, index == 3, message.kind != MessageKind.missed.rawValue { openClaims.insert(message.claim) }
    }

    private func raiseCredit(_ number: UInt64, _ count: Int) {
        let raised = (credit[number] ?? 0) + count
        demand((0...host.window).contains(raised), "a credit of \(raised)")
        credit[number] = raised
    }

    private func collect(_ index: Int) {
        var batch = Batch()
        feeds[index].collect(into: &batch)
        for message in batch.messages {
            demand(message.kind == .none || message.sequence > 0, "a message without a number")
            let isOfTopic = topics[index].text.withUnsafeBytes { equalBytes($0, message.identifierBytes) }
            demand(isOfTopic || topics[index].covers(message.identifierBytes), "a message of another identifier")
            // A notice of destroyed messages has the number of the last of them.
            if index == 2, message.kind != .missed {
                demand(message.sequence > newest[index], "\(message.sequence) after \(newest[index])")
                newest[index] = message.sequence
            }
            if index == 3, message.kind != .missed {
                demand(claims.insert(message.claim).inserted, "claim \(message.claim) is in hand twice")
                kept.append(message)
            }
            feeds[index].didDeliver(message)
        }
        demand(claims.count <= 4 && batch.messages.count <= host.window, "\(batch.messages.count) messages at once")
    }

    private func answer(_ byte: UInt8) {
        guard !kept.isEmpty else { return }
        let message = kept.remove(at: Int(byte >> 1 & 31) % kept.count)
        let status = byte & 1 == 0 ? message.acknowledge() : message.reject(reason: "no")
        demand(status == .ok, "\(status) of an answer")
        demand(message.acknowledge() == .alreadyDone, "it was answered twice")
    }

    private func resolve(_ claim: UInt64) {
        demand(openClaims.remove(claim) != nil, "claim \(claim) has an outcome that it cannot have, or a second one")
        // Messages that no listener has got have an outcome, too.
        claims.remove(claim)
    }

    func end() {
        if !isStarted { start() }
        for feed in feeds { feed.end() }
        demand(openClaims.isEmpty && claims.isEmpty, "claims without an outcome: \(openClaims)")
    }
}
