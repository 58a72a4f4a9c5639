/// Items under keys, to be given in the order of the keys' bytes. Those of equal keys stay in their order.
struct KeyedItems<Item> {
    private var keys: [[UInt8]] = []
    private var items: [Item] = []

    mutating func add(_ item: Item, under key: [UInt8]) {
        keys.append(key)
        items.append(item)
    }

    var sorted: [Item] { KeySorting.indices(keys).map { items[$0] } }
}

/// Sorting keys by their bytes; not generic, because each specialization of the standard one takes 6 kB.
private enum KeySorting {
    /// The indices of keys in the order of the keys. It merges ever longer runs.
    static func indices(_ keys: [[UInt8]]) -> [Int] {
        var (sorted, next) = (Array(keys.indices), Array(keys.indices))
        var width = 1
        while width < keys.count {
            for begin in Swift.stride(from: 0, to: keys.count, by: 2 * width) {
                merge(keys, sorted, into: &next, begin, width)
            }
            swap(&sorted, &next)
            width *= 2
        }
        return sorted
    }

    /// Merges two runs of a width that follow each other.
    private static func merge(_ keys: [[UInt8]], _ from: [Int], into: inout [Int], _ begin: Int, _ width: Int) {
        let (middle, end) = (min(begin + width, from.count), min(begin + 2 * width, from.count))
        var (left, right) = (begin, middle)
        for index in begin..<end {
            let takesRight = left == middle || right < end && isLess(keys[from[right]], keys[from[left]])
            into[index] = takesRight ? from[right] : from[left]
            if takesRight { right += 1 } else { left += 1 }
        }
    }

    private static func isLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { KeyOrder.compare(left, $0) < 0 } }
    }
}

extension [UInt8] {
    /// A key in the order of numbers.
    static func key(of number: UInt64) -> [UInt8] { Swift.withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    /// A key in the order of times.
    static func key(of time: Int64) -> [UInt8] { key(of: UInt64(bitPattern: time) ^ 1 << 63) }
}
