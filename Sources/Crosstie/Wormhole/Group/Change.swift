/// A message that is to be written.
struct Change {
    let kind: MessageKind
    /// Nil: everything is destroyed.
    let identifier: Identifier?
    /// Of a value, plain already: its encoded form has `size` bytes.
    let content: ValueRef?
    let size: Int

    init(_ kind: MessageKind, _ identifier: Identifier?, _ content: ValueRef? = nil, size: Int = 0) {
        self.kind = kind
        self.identifier = identifier
        self.content = content
        self.size = size
    }

    var hash: UInt64 { identifier?.hash ?? 0 }

    /// Whether it takes away more than it adds.
    var makesRoom: Bool { kind == .destroyed }

    @inline(__always)
    func encode(into room: UnsafeMutableRawBufferPointer) {
        if let content { _ = MessagePack.encode(content, into: room) }
    }
}
