import Synchronization

/// One entry of an ``ActionTable``: a cache line with the names in it, if they are not long.
struct ActionEntry {
    private let start: UnsafeMutableRawPointer

    static var stride: Int { 64 }
    private static var inlineWords: Int { 6 }

    private struct Words: ~Copyable {
        /// 0 while the entry is empty.
        let hash: Atomic<UInt32>
        var targetSize: UInt16
        var actionSize: UInt16
        /// The address that the names lead to: of a registration, which is never unmapped, or of a ``RecipientList``; 0
        /// for none.
        let lead: Atomic<UInt>
    }

    private enum Layout {
        static var names: Int { 16 }
    }

    @inline(__always)
    init(_ start: UnsafeMutableRawPointer) { self.start = start }

    @inline(__always)
    private var words: UnsafeMutablePointer<Words> { start.assumingMemoryBound(to: Words.self) }

    @inline(__always)
    var hash: UInt32 { words.pointee.hash.load(ordering: .acquiring) }

    /// The address that it leads to.
    @inline(__always)
    var lead: UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: words.pointee.lead.load(ordering: .acquiring))
    }

    func lead(to address: UnsafeMutableRawPointer?) {
        words.pointee.lead.store(UInt(bitPattern: address), ordering: .releasing)
    }

    @inline(__always)
    private var isLong: Bool {
        ActionKey.words(Int(words.pointee.targetSize)) &+ ActionKey.words(Int(words.pointee.actionSize))
            > Self.inlineWords
    }

    /// Where the names are.
    @inline(__always)
    private var names: UnsafeMutableRawPointer {
        let inline = start + Layout.names
        guard isLong else { return inline }
        return inline.load(as: UnsafeMutableRawPointer.self)
    }

    @inline(__always)
    func has(_ key: ActionKey) -> Bool {
        guard words.pointee.targetSize == key.targetSize, words.pointee.actionSize == key.actionSize else {
            return false
        }
        let names = names
        for word in 0..<key.words
        where names.load(fromByteOffset: word &* 8, as: UInt64.self)
            != key.bytes.load(fromByteOffset: word &* 8, as: UInt64.self)
        {
            return false
        }
        return true
    }

    /// Writes an empty entry; readers see it with its last word.
    func fill(_ key: ActionKey, _ address: UnsafeMutableRawPointer?) {
        words.pointee.targetSize = key.targetSize
        words.pointee.actionSize = key.actionSize
        if isLong {
            let names = UnsafeMutableRawPointer.allocate(byteCount: key.words * 8, alignment: 8)
            (start + Layout.names).storeBytes(of: names, as: UnsafeMutableRawPointer.self)
        }
        names.copyMemory(from: key.bytes, byteCount: key.words * 8)
        lead(to: address)
        words.pointee.hash.store(key.hash, ordering: .releasing)
    }

    /// Takes over what another entry says, in a table that nobody reads yet.
    func copy(_ other: ActionEntry) { start.copyMemory(from: other.start, byteCount: Self.stride) }

    func freeLongNames() {
        if isLong { names.deallocate() }
    }
}
