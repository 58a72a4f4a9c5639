/// A set of pages, a bit each.
struct PageSet {
    private var words: [UInt64]

    init(_ count: UInt64) { words = [UInt64](repeating: 0, count: Int(clamping: count / 64 + 1)) }

    mutating func insert(_ page: UInt64) {
        let word = Int(clamping: page / 64)
        if word < words.count { words[word] |= 1 << (page % 64) }
    }

    func contains(_ page: UInt64) -> Bool {
        let word = Int(clamping: page / 64)
        return word < words.count && words[word] >> (page % 64) & 1 == 1
    }
}
