/// A message that is to be written.
struct Change {
    let kind: MessageKind
    /// Nil: everything is destroyed.
    let identifier: Identifier?
    /// Of a value, plain already.
    let content: ValueRef?
    /// The bytes before the content: tags, and without content the encoded value, too. Nil for none.
    let head: [UInt8]?
    /// Whether that begins with ``MessageTags``.
    let isTagged: Bool
    /// Bytes of all of it.
    let size: Int

    init(_ kind: MessageKind, _ identifier: Identifier?, _ content: ValueRef? = nil, size: Int = 0) {
        self.kind = kind
        self.identifier = identifier
        self.content = content
        head = nil
        isTagged = false
        self.size = size
    }

    /// One with something before its value, or with its value as it is stored.
    /// - Parameter size: of the encoded content.
    init(
        _ kind: MessageKind, _ identifier: Identifier, head: [UInt8], isTagged: Bool, _ content: ValueRef? = nil,
        size: Int = 0
    ) {
        self.kind = kind
        self.identifier = identifier
        self.content = content
        self.head = head
        self.isTagged = isTagged
        self.size = head.count &+ size
    }

    /// One with tags, if there are any.
    /// - Parameter size: of the encoded content.
    init(_ kind: MessageKind, _ identifier: Identifier, tags: [UInt8]?, _ content: ValueRef? = nil, size: Int = 0) {
        if let tags {
            self.init(kind, identifier, head: tags, isTagged: true, content, size: size)
        } else {
            self.init(kind, identifier, content, size: size)
        }
    }

    /// The kind's byte in a record.
    var kindByte: UInt8 { TaggedKind.byte(kind, isTagged: isTagged) }

    /// Bytes of the encoded value alone.
    var valueSize: Int {
        guard isTagged, let head else { return size }
        return size &- (head.withUnsafeBytes { MessageTags(before: $0)?.bytes.count } ?? 0)
    }

    var hash: UInt64 { identifier?.hash ?? 0 }

    /// Whether it takes away more than it adds.
    var makesRoom: Bool { kind == .destroyed }

    @inline(__always)
    func encode(into room: UnsafeMutableRawBufferPointer) {
        var room = room
        if let head {
            guard head.count <= room.count else { return }
            room.copyBytes(from: head)
            room = UnsafeMutableRawBufferPointer(rebasing: room[head.count...])
        }
        if let content { _ = MessagePack.encode(content, into: room) }
    }
}
