internal import CCrosstie

/// A message of an engine: checked, and decoded.
struct EngineMessage {
    private let given: ctie_engine_message
    private let topic: Topic
    private let kind: MessageKind
    private let identifier: UnsafeRawBufferPointer
    private let payload: UnsafeRawBufferPointer

    /// Checks the fields of every message.
    private init(_ given: ctie_engine_message, of topic: Topic) throws(CrosstieError) {
        guard let kind = MessageKind(rawValue: given.kind), kind.rawValue < MessageKind.joined.rawValue else {
            throw .ofEngine("gave a message of an unknown kind")
        }
        guard let identifier = EngineBytes.text(given.identifier), let payload = EngineBytes.bytes(given.value),
            given.expires >= 0
        else { throw .ofEngine("gave a message with NULL, or an impossible size or time") }
        (self.given, self.topic, self.kind, self.identifier, self.payload) = (given, topic, kind, identifier, payload)
        let isOfTopic = Identifier(identifier) != nil && topic.covers(identifier)
        let isSound = identifier.isEmpty ? kind == .destroyed || kind == .missed : kind == .missed || isOfTopic
        guard isSound else { throw .ofEngine("gave a message with an identifier that is not of its listener") }
        guard kind == .value || payload.isEmpty else { throw .ofEngine("gave a value with a message that has none") }
    }

    /// A message that is stored, or waits.
    /// - Throws: *corruptData* for an impossible one.
    static func stored(_ given: ctie_engine_message, of topic: Topic) throws(CrosstieError) -> Message {
        let checked = try EngineMessage(given, of: topic)
        guard checked.kind == .value || checked.kind == .signal, given.flags & ~stored == 0, given.sequence > 0 else {
            throw .ofEngine("showed a message of an impossible kind or number")
        }
        return checked.message(under: checked.identifier)
    }

    /// The message of a dead letter.
    /// - Throws: *corruptData* for an impossible one.
    static func dead(_ given: ctie_engine_message, of topic: Topic) throws(CrosstieError) -> Message {
        let checked = try EngineMessage(given, of: topic)
        let isSent = checked.kind == .value || checked.kind == .signal || checked.kind == .destroyed
        guard isSent, given.flags == 0, given.sequence > 0 else {
            throw .ofEngine("showed a dead letter of an impossible kind or number")
        }
        return topic.text.withUnsafeBytes { text in
            checked.message(under: checked.identifier.isEmpty ? text : checked.identifier)
        }
    }

    /// A delivered message.
    /// - Throws: *corruptData* for one that the listener cannot get. One with unreadable content is a message of that
    ///   status.
    static func delivered(
        _ given: ctie_engine_message, to topic: Topic, _ delivery: ListenOptions.Delivery
    ) throws(CrosstieError) -> Message {
        let checked = try EngineMessage(given, of: topic)
        guard checked.mayBeDelivered(delivery), checked.kind == .none || given.sequence > 0 else {
            throw .ofEngine("delivered a message of a kind, flags or number that its listener cannot get")
        }
        let message = topic.text.withUnsafeBytes { text in
            checked.kind == .missed
                ? Message(missed: given.missed, upTo: given.sequence, under: text)
                : checked.message(under: checked.identifier.isEmpty ? text : checked.identifier)
        }
        guard delivery == .durable, checked.kind != .missed else { return message }
        guard given.delivery_count > 0 else { throw .ofEngine("delivered a message without a delivery count") }
        message.deliveryCount = given.delivery_count
        message.claim = given.claim
        return message
    }

    static var stored: UInt32 { UInt32(CTIE_ENGINE_STORED) }

    private func mayBeDelivered(_ delivery: ListenOptions.Delivery) -> Bool {
        let isStored = given.flags == EngineMessage.stored
        guard isStored || given.flags == 0 else { return false }
        return switch kind {
        case .none: delivery == .state && isStored && !topic.isPrefix && given.sequence == 0
        case .missed: delivery != .state && !isStored
        case .value: !isStored || delivery == .state
        default: !isStored
        }
    }

    private func message(under identifier: UnsafeRawBufferPointer) -> Message {
        let stamp = Stamp(sequence: given.sequence, time: given.time, pid: given.sender_pid)
        guard let name = EngineBytes.text(given.sender_name), name.count <= WormholeOptions.maximumNameSize,
            let tags = try? tags()
        else { return Message(kind, under: identifier, stamp: stamp, status: .corruptData) }
        return tags.withUnsafeBytes { tags in
            Message(kind, under: identifier, stamp: stamp, name: name, tags: tags, payload: payload)
        }
    }

    /// The headers and the expiry as messages have them; empty for neither.
    private func tags() throws(CrosstieError) -> [UInt8] {
        var options = SendOptions()
        if given.header_count != 0 {
            guard let first = given.headers, (1...MessageTags.maximumCount).contains(given.header_count),
                UInt(bitPattern: first) % UInt(MemoryLayout<ctie_header>.alignment) == 0
            else { throw .ofEngine("gave impossible headers") }
            for index in 0..<given.header_count {
                guard let name = EngineBytes.text(first[index].name), let value = EngineBytes.text(first[index].value),
                    name.count <= MessageTags.maximumNameSize, value.count <= MessageTags.maximumSize
                else { throw .ofEngine("gave an impossible header") }
                options.headers.append((Array(name), Array(value)))
            }
        }
        try options.checkHeaders()
        return MessageTags.encoded(options.headers, expiry: given.expires) ?? []
    }
}
