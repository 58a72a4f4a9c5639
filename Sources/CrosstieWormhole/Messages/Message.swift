/// A message under an identifier, or a notice about one or about a member.
public final class Message: @unchecked Sendable {
    public let kind: MessageKind
    /// `ok`; `corruptData` for a stored record that cannot be decoded; `outOfMemory` where there was none for its value.
    public let status: Status
    /// Of the text.
    private let identifierSize: UInt8
    private let nameSize: UInt8
    /// The process that sent it; 0 if unknown.
    public let senderPID: Int32
    /// Its number in the group, from 1; 0 when nothing is stored.
    public let sequence: UInt64
    /// When it was sent: nanoseconds since 1970-01-01 UTC by the sender's clock; 0 if unknown.
    public let time: Int64
    /// The number of messages that one of kind `missed` stands for.
    public let missed: UInt64
    /// The number of times that it was handed to a listener of its durable consumer, this one included; 0 without one.
    public internal(set) var deliveryCount: UInt32 = 0
    /// The time of this delivery, which distinguishes it from others of the same count.
    var givenSince: Int64 = 0
    /// Why it was rejected the last time, in UTF-8; owned.
    private var reasonText = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Where it is answered; nil when it is not from a queue. Set before the first delivery.
    var answerBox: AnswerBox?
    /// The value, lent as long as the message lives; nil for every kind but `value`.
    package let content: ValueRef?
    /// The identifier, the sender's name, and the tags.
    private let text: UnsafeMutableRawPointer
    private let tagsSize: UInt16

    init(
        _ kind: MessageKind, under identifier: UnsafeRawBufferPointer, stamp: Stamp = Stamp(),
        name: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0), content: ValueRef? = nil,
        status: Status = .ok, missed: UInt64 = 0,
        tags: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        self.missed = missed
        self.kind = kind
        self.status = status
        self.content = content
        sequence = stamp.sequence
        time = stamp.time
        senderPID = stamp.pid
        identifierSize = UInt8(clamping: identifier.count)
        nameSize = UInt8(clamping: name.count)
        tagsSize = UInt16(clamping: tags.count)
        let nameEnd = Int(identifierSize) + Int(nameSize)
        text = .allocate(byteCount: nameEnd + Int(tagsSize), alignment: 1)
        if let source = identifier.baseAddress { text.copyMemory(from: source, byteCount: Int(identifierSize)) }
        if let source = name.baseAddress {
            (text + Int(identifierSize)).copyMemory(from: source, byteCount: Int(nameSize))
        }
        if let source = tags.baseAddress { (text + nameEnd).copyMemory(from: source, byteCount: Int(tagsSize)) }
    }

    deinit {
        content?.release()
        text.deallocate()
        reasonText.deallocate()
    }

    /// The message of a stored record, decoded.
    convenience init(_ record: StateRecord, under identifier: UnsafeRawBufferPointer) {
        self.init(
            record.kind, under: identifier, stamp: record.stamp, name: record.name, tags: record.tags,
            payload: record.payload)
    }

    /// A message with its value encoded. A record that cannot be decoded is a message with that status.
    convenience init(
        _ kind: MessageKind, under identifier: UnsafeRawBufferPointer, stamp: Stamp, name: UnsafeRawBufferPointer,
        tags: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer
    ) {
        let isNamed = isUTF8(name) && MessageTags(tags)?.isSound != false
        var (content, status): (ValueRef?, Status) = (nil, isNamed ? .ok : .corruptData)
        if kind == .value, isNamed {
            do throws(CrosstieError) {
                content = try MessagePack.decode(payload)
            } catch {
                status = error.status == .outOfMemory ? .outOfMemory : .corruptData
            }
        }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        self.init(
            kind, under: identifier, stamp: stamp, name: isNamed ? name : nothing, content: content, status: status,
            tags: isNamed ? tags : nothing)
    }

    /// The notice for a queue's listener that messages up to a number were lost before delivery.
    convenience init(missed count: UInt64, upTo sequence: UInt64, under identifier: UnsafeRawBufferPointer) {
        self.init(.missed, under: identifier, stamp: Stamp(sequence: sequence), missed: count)
    }

    /// The message for bytes that are no record at all.
    static func unreadable(under identifier: UnsafeRawBufferPointer, stamp: Stamp = Stamp()) -> Message {
        Message(.value, under: identifier, stamp: stamp, status: .corruptData)
    }

    /// The identifier it was sent under; borrowed, as long as the message lives.
    package var identifierBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: Int(identifierSize))
    }

    /// The sender's name; lent as long as the message lives.
    package var senderNameBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text + Int(identifierSize), count: Int(nameSize))
    }

    /// Why it was rejected the last time; lent as long as the message lives.
    package var reasonBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(reasonText) }

    /// Once, before its first delivery.
    func setReason(_ reason: String) {
        guard reasonText.isEmpty, !reason.isEmpty else { return }
        let bytes = Array(reason.utf8)
        reasonText = .allocate(byteCount: bytes.count, alignment: 1)
        reasonText.copyBytes(from: bytes)
    }

    /// Why it was rejected the last time, of a dead letter; else empty.
    public var reason: String { String(decoding: reasonBytes, as: UTF8.self) }

    /// When it expires, and headers; nil for neither. Lent as long as the message lives.
    package var tags: MessageTags? {
        guard tagsSize > 0 else { return nil }
        let begin = text + (Int(identifierSize) + Int(nameSize))
        return MessageTags(UnsafeRawBufferPointer(start: begin, count: Int(tagsSize)))
    }

    /// The time at which it expires: nanoseconds since 1970-01-01 UTC; 0 for never.
    public var expires: Int64 { tags?.expiry ?? 0 }

    /// The text that it was sent with under a name; nil when it has none.
    public func header(_ name: String) -> String? {
        Array(name.utf8).withUnsafeBytes { name in
            tags?.value(of: name).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Its options and headers beside the value.
    public var headers: [String: String] { tags?.headers ?? [:] }

    /// The identifier it was sent under.
    public var identifier: String { String(decoding: identifierBytes, as: UTF8.self) }

    /// The value; nil for every kind but `value`.
    public var value: Value? { content.map(Value.init(borrowing:)) }

    /// The name of the wormhole that sent it; empty if unknown.
    public var senderName: String { String(decoding: senderNameBytes, as: UTF8.self) }
}

extension Message {
    /// The message of a queued record, decoded. One that destroyed everything has the listener's topic as its
    /// identifier, and so has one with an unusable identifier, which only damage can cause.
    static func queued(_ record: LogRecord, for topic: Topic) -> Message {
        topic.text.withUnsafeBytes { text in
            // A topic that is no prefix covers only its own text.
            if topic.isPrefix, !record.identifier.isEmpty, Identifier(record.identifier) == nil {
                return .unreadable(under: text, stamp: record.stamp)
            }
            return Message(
                record.kind, under: record.identifier.isEmpty ? text : record.identifier, stamp: record.stamp,
                name: record.name, tags: record.tags, payload: record.payload)
        }
    }
}
