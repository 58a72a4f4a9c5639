/// The entries of a ``RecipientList``, or of a copy of it, one after the other: the handle of an action, the size of its
/// component's name, and the name in whole words.
struct Recipients {
    private let entries: UnsafeRawBufferPointer
    private var position = 0

    /// A component's action for an event.
    struct Recipient {
        let action: Handle
        let component: UnsafeRawBufferPointer
    }

    private struct Entry {
        let action: Handle
        let nameSize: Int
    }

    /// - Parameter entries: valid while this is read.
    init(_ entries: UnsafeRawBufferPointer) { self.entries = entries }

    @inline(__always)
    mutating func next() -> Recipient? {
        guard position < entries.count, let start = entries.baseAddress else { return nil }
        let entry = (start + position).load(as: Entry.self)
        let name = UnsafeRawBufferPointer(start: start + position + MemoryLayout<Entry>.stride, count: entry.nameSize)
        position &+= Recipients.size(ofNameWith: entry.nameSize)
        return Recipient(action: entry.action, component: name)
    }

    /// Bytes of an entry whose name has so many.
    @inline(__always)
    static func size(ofNameWith bytes: Int) -> Int { MemoryLayout<Entry>.stride + ActionKey.words(bytes) * 8 }

    /// The entries of these events, in memory to be freed; nil if there is none.
    static func write(_ events: [ComponentEvent]) -> UnsafeMutableRawBufferPointer? {
        let size = events.reduce(0) { $0 + Recipients.size(ofNameWith: $1.component.utf8.count) }
        guard let start = Memory.allocate(max(size, 1)) else { return nil }
        var position = start
        for event in events { write(event, at: &position) }
        return UnsafeMutableRawBufferPointer(start: start, count: size)
    }

    /// Writes an entry, and moves behind it.
    static func write(_ event: ComponentEvent, at position: inout UnsafeMutableRawPointer) {
        var component = event.component
        component.withUTF8 { name in
            position.storeBytes(of: Entry(action: event.action, nameSize: name.count), as: Entry.self)
            let size = Recipients.size(ofNameWith: name.count)
            let room = UnsafeMutableRawBufferPointer(start: position, count: size)
            UnsafeMutableRawBufferPointer(rebasing: room[MemoryLayout<Entry>.stride...]).copyBytes(from: name)
            position += size
        }
    }
}
