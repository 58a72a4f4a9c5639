/// The bytes of a page that belong to something, two to a bit.
struct PageBytes {
    private let words: UnsafeMutablePointer<UInt64>

    /// `words` are `count` words with a bit for every two bytes of a page, all of which are cleared.
    init(_ words: UnsafeMutablePointer<UInt64>, count: Int) {
        words.update(repeating: 0, count: count)
        self.words = words
    }

    /// False if any was taken already. The ends are even and within the page.
    func take(from start: Int, to end: Int) -> Bool {
        var bit = start / 2
        let last = end / 2
        while bit < last {
            let count = min(last - bit, 64 - bit % 64)
            let mask = (UInt64.max >> UInt64(64 - count)) << UInt64(bit % 64)
            let word = words + bit / 64
            guard word.pointee & mask == 0 else { return false }
            word.pointee |= mask
            bit += count
        }
        return true
    }
}
