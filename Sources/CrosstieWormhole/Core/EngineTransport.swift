internal import Glibc
import Synchronization

/// A member's connection to a group that a host's own engine keeps.
final class EngineTransport: Transport {
    let host: EngineHost
    let sendDefaults: SendDefaults
    let abilities: Wormhole.Abilities
    let sender: Sender
    private let timeout: UInt64
    private let table: EngineHostTable
    private let isClosing = Atomic(false)

    private var engine: HostEngine { host.engine }

    init(
        _ engine: HostEngine, of group: String, name: [UInt8], _ options: WormholeOptions
    ) throws(CrosstieError) {
        timeout = options.timeoutNanoseconds
        engine.calls.timeout = timeout
        sendDefaults = options.limits.sending
        sender = Sender(pid: getpid(), name: name)
        host = EngineHost(engine, options)
        table = EngineHostTable(host, from: sender, maximumValueSize: options.maximumValueSize)
        let outer = HostCalls.begin(timeout)
        defer { HostCalls.end(outer) }
        do throws(CrosstieError) {
            abilities = try engine.open(group, table.table)
        } catch {
            engine.close()
            table.free()
            throw error
        }
    }

    var hostTimeout: UInt64? { timeout }

    func beginClosing() { isClosing.store(true, ordering: .sequentiallyConsistent) }

    func close() {
        host.endJoins()
        engine.close()
        table.free()
    }

    // MARK: Messages

    @inline(never)
    func write(_ changes: UnsafeBufferPointer<Change>) throws(CrosstieError) -> Receipt {
        try send(changes, due: 0, nil)
    }

    @inline(never)
    func write(_ changes: [Change], _ token: StepToken) throws(CrosstieError) -> Receipt {
        try send(changes, due: 0, token)
    }

    func schedule(_ changes: [Change], until due: UInt64, _ token: StepToken?) throws(CrosstieError) -> UInt64 {
        try require(.scheduling, "schedule messages")
        return try send(changes, due: Int64(clamping: due), token).sequence
    }

    /// Makes changes one after another, if they cannot be made in one step.
    func writeEach(_ changes: [Change], at begin: Int64?, _ token: StepToken?) throws(CrosstieError) -> Receipt {
        if begin != nil { try require(.scheduling, "schedule messages") }
        return try send(changes, due: begin.map { max($0, 1) } ?? 0, token, isAtomic: false)
    }

    private func send(
        _ changes: [Change], due: Int64, _ token: StepToken?, isAtomic: Bool = true
    ) throws(CrosstieError) -> Receipt {
        try changes.withUnsafeBufferPointer { changes in
            Result { () throws(CrosstieError) in try send(changes, due: due, token, isAtomic: isAtomic) }
        }.get()
    }

    private func send(
        _ changes: UnsafeBufferPointer<Change>, due: Int64, _ token: StepToken?, isAtomic: Bool = true
    ) throws(CrosstieError) -> Receipt {
        let inOneStep = changes.count == 1 || abilities.contains(.atomicBatches)
        if !inOneStep {
            try require(.batches, "send several messages")
            if isAtomic {
                try require(.atomicBatches, "send several messages in one step, only with CTIE_SEND_NOT_ATOMIC")
            }
        }
        if token != nil { try require(.tokens, "remember tokens") }
        let token = abilities.contains(.tokens) ? token ?? StepToken() : nil
        let sent = try sender.name.withUnsafeBytes { name in
            Result { () throws(CrosstieError) in
                let parcel = EngineParcel(changes, from: sender, name, due: due)
                defer { parcel.free() }
                return try engine.send(parcel, token, inOneStep: inOneStep) { isClosing.load(ordering: .relaxed) }
            }
        }.get()
        let listeners = abilities.contains(.countingListeners) ? sent.listeners : 0
        return Receipt(sequence: sent.first, listenerCount: listeners)
    }

    private func require(_ ability: Wormhole.Abilities, _ what: StaticString) throws(CrosstieError) {
        guard abilities.contains(ability) else { throw CrosstieError(.unsupported, "the engine does not \(what)") }
    }

    func countProcesses(_ receipt: Receipt) -> UInt32 { receipt.listenerCount }

    @inline(never)
    func message(_ identifier: Identifier) throws(CrosstieError) -> Message? { try engine.current(identifier) }

    func identifiers(_ topic: Topic) throws(CrosstieError) -> [String] { try engine.identifiers(topic) }

    func members() throws(CrosstieError) -> [Wormhole.Member] { try engine.members() }

    func scheduled(_ topic: Topic) throws(CrosstieError) -> [Wormhole.Scheduled] { try engine.scheduled(topic) }

    func cancelScheduled(_ number: UInt64) throws(CrosstieError) -> Bool { try engine.cancel(number) }

    // MARK: Listeners

    func feed(_ topic: Topic, _ options: ListenOptions) -> any Feed { EngineFeed(topic, options, of: host) }

    func memberFeed(_ options: ListenOptions) -> any Feed {
        EngineMemberFeed(of: host, initialDelivery: options.initialDelivery)
    }

    func declare(
        _ key: CursorKey, _ options: DurableOptions, fromOldest: Bool, mayChange: Bool
    ) throws(CrosstieError) {
        try options.check(for: key.topic)
        try engine.declare(key, options, fromOldest: fromOldest, mayChange: mayChange)
    }

    func durables() throws(CrosstieError) -> [Wormhole.Durable] { try engine.durables() }

    func seek(_ key: CursorKey, to start: QueueStart) throws(CrosstieError) -> Bool { try engine.seek(key, to: start) }

    func forget(_ key: CursorKey) throws(CrosstieError) -> Bool { try engine.forget(key) }

    // MARK: Dead letters

    func deadLetters(of key: CursorKey, after: UInt64, limit: Int) throws(CrosstieError) -> [Wormhole.DeadLetter] {
        var found: [Wormhole.DeadLetter] = []
        try engine.deadLetters(of: key, after: after, limit: limit, hasValues: false) { letter, _ in
            found.append(letter)
        }
        return found
    }

    func deadLetter(_ sequence: UInt64, of key: CursorKey) throws(CrosstieError) -> Message? {
        var found: Message?
        try engine.deadLetters(of: key, after: max(sequence, 1) - 1, limit: 1, hasValues: true) { letter, message in
            guard message.sequence == sequence else { return }
            message.deliveryCount = UInt32(clamping: letter.deliveries)
            message.setReason(letter.reason)
            found = message
        }
        return found
    }

    func resolveDeadLetters(
        _ action: DeadLetterAction, _ sequence: UInt64?, of key: CursorKey, count: inout UInt64
    ) throws(CrosstieError) {
        try engine.endDeadLetters(action, sequence ?? 0, of: key, count: &count)
    }
}
