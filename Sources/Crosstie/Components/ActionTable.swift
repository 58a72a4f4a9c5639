import Synchronization

/// The actions of a bus by their names, and the recipients of its events by theirs: one open-addressing table with linear
/// probing, read without a lock.
///
/// It is changed in place, under the bus's lock, the word that makes an entry visible last; it is swapped only to grow.
/// An entry that is not wanted any more keeps its names and leads nowhere.
package struct ActionTable {
    private let start: UnsafeMutableRawPointer

    private struct Header {
        let mask: Int
        /// Entries with names, whether they lead anywhere or not.
        var used = 0
    }

    /// Nil for 0.
    @inline(__always)
    init?(_ address: UInt) {
        guard let start = UnsafeMutableRawPointer(bitPattern: address) else { return nil }
        self.start = start
    }

    private init(at start: UnsafeMutableRawPointer) { self.start = start }

    var address: UInt { UInt(bitPattern: start) }

    /// A table with room for half of `capacity`, a power of two: then most keys are found at the first look. Nil when
    /// there is no memory.
    private static func make(capacity: Int) -> ActionTable? {
        let bytes = ActionEntry.stride * (capacity + 1)
        guard let start = Memory.allocate(bytes, alignment: ActionEntry.stride) else { return nil }
        start.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        start.storeBytes(of: Header(mask: capacity - 1), as: Header.self)
        return ActionTable(at: start)
    }

    private var header: UnsafeMutablePointer<Header> { start.assumingMemoryBound(to: Header.self) }

    @inline(__always)
    private func entry(_ index: Int) -> ActionEntry {
        ActionEntry(start + ActionEntry.stride &* (index &+ 1))
    }

    private func forEachEntry(_ body: (ActionEntry) -> Void) {
        for index in 0...header.pointee.mask where entry(index).hash != 0 { body(entry(index)) }
    }

    /// The registration under the key of a component and an action.
    @inline(__always)
    func find(_ key: ActionKey) -> RegistrationRecord.Pointer? {
        lookUp(key).lead?.assumingMemoryBound(to: RegistrationRecord.self)
    }

    /// The recipients under the key of an event, whose component has no name. Nil for none, and after a change.
    @inline(__always)
    func findRecipients(_ key: ActionKey) -> RecipientList? { lookUp(key).lead.map(RecipientList.init) }

    /// The entry of a key, or the empty slot for it.
    @inline(__always)
    private func lookUp(_ key: ActionKey) -> ActionEntry {
        let mask = header.pointee.mask
        var index = Int(key.hash) & mask
        while true {
            let entry = entry(index)
            let hash = entry.hash
            if hash == 0 || (hash == key.hash && entry.has(key)) { return entry }
            index = (index &+ 1) & mask
        }
    }

    /// Whether so many more keys fit.
    func hasRoom(for count: Int) -> Bool { header.pointee.used + count <= header.pointee.mask / 2 }

    /// Lets a key lead to a registration. There must be room.
    func set(_ key: ActionKey, to registration: RegistrationRecord.Pointer?) { lead(key, to: registration) }

    /// Lets the key of an event lead to its recipients. There must be room.
    func set(_ key: ActionKey, to recipients: RecipientList) { lead(key, to: recipients.address) }

    /// Lets a key of the table lead nowhere.
    func clear(_ key: ActionKey) { lead(key, to: nil) }

    private func lead(_ key: ActionKey, to address: UnsafeMutableRawPointer?) {
        let entry = lookUp(key)
        if entry.hash == 0 {
            header.pointee.used += 1
            SchedulePoint.pass()
            entry.fill(key, address)
        } else {
            entry.lead(to: address)
        }
    }

    /// The same in a table that has room for so many more keys, without those that lead nowhere. Nil when there is no
    /// memory.
    func grown(for count: Int) -> ActionTable? {
        var living = 0
        forEachEntry { living += $0.lead == nil ? 0 : 1 }
        let capacity = header.pointee.mask + 1
        let least = living * 3 < capacity ? capacity : capacity * 2
        guard let table = ActionTable.empty(for: living + count, capacity: least) else { return nil }
        forEachEntry { if $0.lead != nil { table.adopt($0) } }
        return table
    }

    /// A table with room for so many keys. Nil when there is no memory.
    static func empty(for count: Int, capacity least: Int = 64) -> ActionTable? {
        var capacity = least
        while count > (capacity - 1) / 2 { capacity *= 2 }
        return make(capacity: capacity)
    }

    private func adopt(_ other: ActionEntry) {
        let mask = header.pointee.mask
        var index = Int(other.hash) & mask
        while entry(index).hash != 0 { index = (index + 1) & mask }
        entry(index).copy(other)
        header.pointee.used += 1
    }

    /// Frees the table, and the long names of entries that lead nowhere; the names of others belong to the table that
    /// has adopted them.
    func free(isAdopted: Bool) {
        forEachEntry { if !isAdopted || $0.lead == nil { $0.freeLongNames() } }
        Memory.free(start)
    }
}
