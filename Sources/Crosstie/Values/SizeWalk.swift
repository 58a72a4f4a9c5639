/// Adds up the sizes of a value's parts in some form. A shared part is visited once.
struct SizeWalk {
    /// The size of a value without its parts, and the overhead of each part.
    let own: (ValueRef) -> Int
    let entry: (MapEntry) -> Int
    private var known: [UInt: Int] = [:]

    init(own: @escaping (ValueRef) -> Int, entry: @escaping (MapEntry) -> Int) {
        (self.own, self.entry) = (own, entry)
    }

    /// Whether a value has so many parts that detecting shared ones is worthwhile.
    static func isWorth(for value: ValueRef) -> Bool { value.total > 1 << 16 }

    mutating func size(of value: ValueRef) -> Int {
        guard value.isShared else { return count(value) }
        if let size = known[value.bits] { return size }
        let size = count(value)
        known[value.bits] = size
        return size
    }

    /// The sum stays far below the largest number: no value has over 2^26 parts, each of less than 2^28 bytes.
    private mutating func count(_ value: ValueRef) -> Int {
        var sum = own(value)
        switch value.kind {
        case .list: for item in value.items { sum &+= size(of: item) }
        case .map: for each in value.entries { sum &+= entry(each) &+ size(of: each.value) }
        default: break
        }
        return sum
    }
}
