@testable import Crosstie
@testable import CrosstieWormhole

/// A letter, which chooses the type of the rest: a record of the store, or the memory that processes share beside it. A
/// record that can be read can be written, with the same bytes; and a message can be delivered, or says that it is corrupt.
enum RecordsTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        guard let form = input.first else { return }
        let bytes = input.after(1)
        switch form {
        case UInt8(ascii: "s"): checkState(bytes)
        case UInt8(ascii: "l"): checkQueued(bytes)
        case UInt8(ascii: "i"): checkInterest(bytes)
        case UInt8(ascii: "m"): checkMeta(bytes)
        case UInt8(ascii: "o"): checkOpening(bytes)
        case UInt8(ascii: "c"): FuzzedCursor.run(bytes)
        case UInt8(ascii: "w"): checkWaiting(bytes)
        default: FuzzedWakeups.run(bytes)
        }
    }

    private static func checkState(_ bytes: UnsafeRawBufferPointer) {
        guard let record = StateRecord(bytes) else { return }
        let size = StateRecord.size(name: record.name.count, payload: record.tags.count + record.payload.count)
        demand(size == bytes.count, "\(bytes.count) bytes are a record of \(size)")
        let again = written(size) { room in
            let kind = TaggedKind.byte(record.kind, isTagged: !record.tags.isEmpty)
            let rest = StateRecord.write(kind, record.stamp, name: record.name, into: room)
            rest.copyBytes(from: record.tags)
            UnsafeMutableRawBufferPointer(rebasing: rest[record.tags.count...]).copyBytes(from: record.payload)
        }
        demand(again.elementsEqual(bytes), "written again it is \(again)")
        MessageCheck.check(Message(record, under: UnsafeRawBufferPointer(start: nil, count: 0)), record.kind)
    }

    /// The number that the key would tell, then the block.
    private static func checkQueued(_ input: UnsafeRawBufferPointer) {
        let bytes = input.after(8)
        guard let block = LogBlock(bytes, sequence: input.number()) else { return }
        var reader = LogBlockReader(block)
        var again = written(LogBlock.size(name: block.name.count)) { room in
            let stamp = Stamp(sequence: block.sequence, time: block.time, pid: block.pid)
            _ = LogBlock.write(count: block.count, stamp, block.tail, name: block.name, into: room)
        }
        while let record = reader.next() {
            checkQueued(record)
            guard let change = change(of: record) else { return }
            let back = Int(block.sequence &- record.stamp.sequence)
            let header = written(LogRecord.size(change)) { room in _ = LogRecord.write(change, back: back, into: room) }
            again += header[..<4] + written(4) { $0.storeBytes(of: UInt32(record.payload.count), as: UInt32.self) }
            again += header[8...] + record.payload
        }
        if !reader.isDamaged { demand(again.elementsEqual(bytes.prefix(again.count)), "written again it is \(again)") }
        checkWithout(block)
    }

    private static func checkQueued(_ record: LogRecord) {
        for topic in topics where topic.covers(record) {
            MessageCheck.check(Message.queued(record, for: topic), record.kind)
        }
    }

    /// The rest of a block after an identifier was destroyed holds the others.
    private static func checkWithout(_ block: LogBlock) {
        let jobs = Array("jobs".utf8)
        guard let (bytes, count) = try? block.keeping(where: { !$0.identifier.elementsEqual(jobs) }), let bytes
        else { return }
        bytes.withUnsafeBytes { bytes in
            guard let left = LogBlock(bytes, sequence: block.sequence) else { return demand(false, "no block is left") }
            var reader = LogBlockReader(left)
            while let record = reader.next() { demand(!record.identifier.elementsEqual(jobs), "it is still there") }
            demand(!reader.isDamaged && left.count + count <= block.count, "\(left.count) are left of \(block.count)")
        }
    }

    /// The change that writes a record; nil for a record without a valid identifier.
    private static func change(of record: LogRecord) -> Change? {
        if record.identifier.isEmpty { return Change(record.kind, nil) }
        return Identifier(record.identifier).map { Change(record.kind, $0) }
    }

    private static func checkInterest(_ bytes: UnsafeRawBufferPointer) {
        guard let interest = InterestRecord(bytes) else { return }
        let again = written(InterestRecord.size, interest.write)
        demand(again.elementsEqual(bytes.prefix(again.count)), "written again it is \(again)")
    }

    private static func checkMeta(_ bytes: UnsafeRawBufferPointer) {
        do throws(CrosstieError) {
            let meta = try StoreMeta(bytes)
            let again = written(StoreMeta.size, meta.write)
            // Four bytes are not used yet.
            demand(again[..<36].elementsEqual(bytes.prefix(36)), "written again it is \(again)")
            demand(again[40...].elementsEqual(bytes.prefix(again.count).dropFirst(40)), "written again it is \(again)")
            _ = meta.sequence(ofState: bytes.number())
        } catch {
            demand(error.status == .corruptData || error.status == .incompatibleVersion, "\(error)")
        }
    }

    /// The key under a time, then the record: writing gives the bytes that were read.
    private static func checkWaiting(_ bytes: UnsafeRawBufferPointer) {
        let key = UnsafeRawBufferPointer(rebasing: bytes.prefix(WaitingKey.dueSize))
        guard let waiting = WaitingMessage(key: key, bytes.after(WaitingKey.dueSize)),
            let identity = WaitingKey.identity(key)
        else { return }
        let again = WaitingKey.byTime(waiting.due, waiting.sequence, of: identity)
        demand(again.elementsEqual(key), "written again it is \(again)")
        let other = WaitingKey.bySequence(waiting.sequence, of: identity)
        let sequence = other.withUnsafeBytes { WaitingKey.sequence($0) }
        demand(sequence == waiting.sequence, "\(waiting) is under \(other)")
    }

    private static func checkOpening(_ bytes: UnsafeRawBufferPointer) {
        guard let opening = MemberRecord(bytes) else { return }
        let again = opening.encoded.withUnsafeBytes { MemberRecord($0) }
        let isSame = again?.member.process == opening.member.process && again?.consumed == opening.consumed
        demand(isSame, "\(opening) is lost")
        // A name that is no text becomes one, of characters of three bytes, and may be cut.
        let name = UnsafeRawBufferPointer(rebasing: bytes.after(56).prefix(Int(bytes[1])))
        demand(
            !isUTF8(name) || again?.transportID == opening.transportID, "\(opening) is not the same when it was stored")
    }

    private static let topics = ["jobs", "jobs.*", "*"].compactMap { text in
        Array(text.utf8).withUnsafeBytes { try? Topic($0) }
    }
}

/// Room of a size as something has filled it.
func written(_ size: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    bytes.withUnsafeMutableBytes { body($0) }
    return bytes
}

/// The properties of every message that a listener gets.
enum MessageCheck {
    static func check(_ message: Message, _ kind: MessageKind? = nil) {
        demand(message.status == .ok || message.status == .corruptData, "a message says \(message.status)")
        let hasValue = message.content != nil
        demand(hasValue == (message.kind == .value && message.status == .ok), "a \(message.kind), value: \(hasValue)")
        demand(isUTF8(message.senderNameBytes) && isUTF8(message.identifierBytes), "text that is none")
        let size = message.senderNameBytes.count
        demand(size <= Wakeups.maximumNameSize, "a name of \(size) bytes")
        guard let kind, message.status == .ok else { return }
        demand(message.kind == kind, "a \(kind) is delivered as \(message.kind)")
    }
}
