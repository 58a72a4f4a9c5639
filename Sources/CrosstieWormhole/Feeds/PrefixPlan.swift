/// The next deliveries to a listener on a prefix, in the order of numbers: the records, not their content. So a hundred
/// thousand changes take a few bytes each, and are read a batch at a time.
struct PrefixPlan {
    struct Item {
        /// 0 for a record that cannot be read.
        let sequence: UInt64
        /// Among the names.
        fileprivate var position: UInt32
        fileprivate let size: UInt8
        let what: What

        fileprivate var range: Range<Int> { Int(position)..<Int(position) + Int(size) }
    }

    enum What: UInt8 {
        case current, signal
        /// Everything was destroyed.
        case destroyedAll
        /// The record of an older destruction has been removed.
        case forgotten
    }

    /// When everything was destroyed.
    private(set) var destroyedAll = Stamp()
    /// The number up to which these are all.
    private(set) var upTo: UInt64 = 0
    private var items: [Item] = []
    private var names: [UInt8] = []
    private var next = 0

    /// More than these are left for a later plan.
    private static var maximumCount: Int { 65_536 }

    init() {}

    init(upTo sequence: UInt64, destroyedAll: Stamp = Stamp()) {
        upTo = sequence
        self.destroyedAll = destroyedAll
    }

    var isOver: Bool { next == items.count }

    /// The next one, with its identifier.
    func withNext<Result>(
        _ body: (Item, UnsafeRawBufferPointer) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result? {
        guard next < items.count else { return nil }
        let item = items[next]
        return try names.withBytes { names throws(CrosstieError) in
            try body(item, UnsafeRawBufferPointer(rebasing: names[item.range]))
        }
    }

    mutating func advance() { next += 1 }

    /// Plans a delivery. Changes newer than the plan are left for a later one.
    mutating func add(_ what: What, _ sequence: UInt64, _ name: UnsafeRawBufferPointer) {
        guard sequence <= upTo else { return }
        let size = UInt8(clamping: name.count)
        items.append(Item(sequence: sequence, position: UInt32(clamping: names.count), size: size, what: what))
        names += name.prefix(Int(size))
        if items.count >= 2 * PrefixPlan.maximumCount { shorten() }
    }

    /// Once all has been added.
    mutating func sort() {
        if items.count > 1 { items.sort { $0.sequence < $1.sequence } }
        if items.count > PrefixPlan.maximumCount { shorten() }
    }

    /// Keeps the oldest.
    private mutating func shorten() {
        items.sort { $0.sequence < $1.sequence }
        items.removeSubrange(PrefixPlan.maximumCount...)
        upTo = items.last?.sequence ?? upTo
        var kept: [UInt8] = []
        for index in items.indices {
            let range = items[index].range
            items[index].position = UInt32(clamping: kept.count)
            kept += names[range]
        }
        names = kept
    }
}
