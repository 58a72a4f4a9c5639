/// The recipients of one event on a bus, in their order: memory that nobody changes, and that readers copy in a read section.
///
/// The ``ActionTable`` leads to it by the event's name, under a component without a name.
struct RecipientList {
    private let start: UnsafeMutableRawPointer

    private struct Header {
        /// Bytes of all entries.
        let size: Int
    }

    init(at start: UnsafeMutableRawPointer) { self.start = start }

    var address: UnsafeMutableRawPointer { start }

    /// The entries, in the form that ``Recipients`` reads.
    var entries: UnsafeRawBufferPointer {
        let size = start.assumingMemoryBound(to: Header.self).pointee.size
        return UnsafeRawBufferPointer(start: start + MemoryLayout<Header>.stride, count: size)
    }

    /// A list of these events; nil without memory.
    static func make(of events: [ComponentEvent]) -> RecipientList? {
        let size = events.reduce(0) { $0 + Recipients.size(ofNameWith: $1.component.utf8.count) }
        guard let start = Memory.allocate(MemoryLayout<Header>.stride + size) else { return nil }
        start.initializeMemory(as: Header.self, to: Header(size: size))
        var position = start + MemoryLayout<Header>.stride
        for event in events { Recipients.write(event, at: &position) }
        return RecipientList(at: start)
    }

    func free() { Memory.free(start) }
}
