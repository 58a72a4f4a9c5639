/// Finds the records of a store whose pages may be damaged: in the newest tree, and where that has holes in the one
/// before it, which LMDB has not written over yet, and in pages that nothing leads to any more.
final class Salvage {
    /// The location of a record.
    struct Location {
        let key: [UInt8]
        let page: UInt64
        let index: Int
        /// 0 in the newest tree, more for what may be older.
        let rank: Int
    }

    private let pages: SalvagePages
    private(set) var locations: [Location] = []
    private(set) var findings: [StoreFinding] = []
    /// The number of the last transaction, if one of the first pages has it.
    var number: UInt64 { pages.roots.first?.commit ?? 0 }
    private var holes: [KeyHole] = []
    private var reached: PageSet
    private var rank = 0
    private var depth = 0
    private var branches: Set<UInt64> = []

    init(_ file: Int32) throws(CrosstieError) {
        pages = try SalvagePages(file)
        reached = PageSet(pages.pageCount)
        if pages.roots.isEmpty { find(0, "and page 1 do not describe a store") }
        for (rank, root) in pages.roots.enumerated() where rank == 0 || !holes.isEmpty {
            let before = holes
            walk(root.main, rank)
            if rank > 0 { keep(within: before, rank) }
        }
        if pages.roots.isEmpty { holes = [KeyHole()] }
        if !holes.isEmpty { takeStrays() }
        locations.sort { first, second in
            let order = first.key.withUnsafeBytes { key in
                second.key.withUnsafeBytes { KeyOrder.compare(key, $0) }
            }
            return order == 0 ? first.rank < second.rank : order < 0
        }
    }

    /// A record's bytes, from its extent if it has one; nil when they cannot be read. A reference that leads nowhere
    /// remains as it is.
    func bytes(of location: Location) -> [UInt8]? {
        guard let stored = storedBytes(of: location) else { return nil }
        guard let reference = stored.withUnsafeBytes({ ExtentReference($0) }) else { return stored }
        let key = reference.extent.key
        var index = firstLocation(from: key)
        while index < locations.count, locations[index].key == key {
            let record = storedBytes(of: locations[index])?.withUnsafeBytes { bytes in
                reference.record(in: bytes).map { Array($0) }
            }
            if let record { return record }
            index += 1
        }
        return stored
    }

    /// The index of the first location whose key is not before another one.
    private func firstLocation(from key: [UInt8]) -> Int {
        var (low, high) = (0, locations.count)
        while low < high {
            let middle = (low + high) / 2
            if KeyHole.isBefore(locations[middle].key, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func storedBytes(of location: Location) -> [UInt8]? {
        guard let page = pages.read(location.page),
            let node = SalvageNodes(page, number: location.page, isLeaf: true).nodes.first(where: {
                $0.index == location.index
            })?.node
        else { return nil }
        guard node.isBig else { return Array(node.value) }
        return pages.large(node.bigPage, size: node.valueSize)
    }

    private func find(_ page: UInt64, _ why: String) {
        if rank == 0, findings.count < 10_000 { findings.append(StoreFinding("pages", String(page), why)) }
    }

    /// Only what may be missing is taken of an older tree.
    private func keep(within before: [KeyHole], _ rank: Int) {
        holes = before
        locations.removeAll { location in location.rank == rank && !before.contains { $0.contains(location.key) } }
    }

    // MARK: Trees

    private func walk(_ tree: PageTree, _ rank: Int) {
        self.rank = rank
        depth = tree.depth
        branches = []
        if tree.depth > 0 { walk(tree.root, KeyHole(), level: 0) }
    }

    private func lose(_ number: UInt64, _ range: KeyHole, _ why: String) {
        holes.append(range)
        find(number, why)
    }

    private func walk(_ number: UInt64, _ range: KeyHole, level: Int) {
        guard number >= PageLayout.firstPage, let page = pages.read(number) else {
            return lose(number, range, "is outside the file")
        }
        if level + 1 == depth { return takeLeaf(number, page, range) }
        guard branches.insert(number).inserted else { return lose(number, range, "is used twice") }
        let nodes = SalvageNodes(page, number: number, isLeaf: false)
        // A branch without a sound head leads anywhere.
        guard nodes.isSound, !nodes.nodes.isEmpty else { return lose(number, range, "is no branch") }
        if rank == 0 { reached.insert(number) }
        var children: [(child: UInt64, key: [UInt8]?, index: Int)] = []
        for (index, node) in nodes.nodes {
            let key = index == 0 ? nil : Array(node.key)
            if let key, !range.contains(key) { continue }
            children.append((node.child, key ?? range.first, index))
        }
        for (position, child) in children.enumerated() {
            let isNextKnown = position + 1 < children.count
            let part = KeyHole(first: child.key, end: isNextKnown ? children[position + 1].key : range.end)
            let following = isNextKnown ? children[position + 1].index : nodes.nodes.count + nodes.lostCount
            if following != child.index + 1 { lose(number, part, "has lost some of its children") }
            walk(child.child, part, level: level + 1)
        }
        if children.isEmpty || children[0].index != 0 {
            lose(number, KeyHole(first: range.first, end: children.first?.key ?? range.end), "has lost its first child")
        }
    }

    private func takeLeaf(_ number: UInt64, _ page: UnsafeRawBufferPointer, _ range: KeyHole) {
        let nodes = SalvageNodes(page, number: number, isLeaf: true)
        let count = take(nodes, number, within: [range])
        let isWhole = nodes.isSound && nodes.lostCount == 0 && count == nodes.nodes.count && count > 0
        if !isWhole {
            let all = nodes.nodes.count + nodes.lostCount
            lose(
                number, range,
                nodes.isSound ? "has \(count) of \(all) records left" : "is damaged; \(count) records left")
        }
        if rank == 0, count > 0 || nodes.isSound { reached.insert(number) }
        // Reading another page overwrites this one.
        let large = nodes.nodes.filter { $0.node.isBig }.map(\.node.bigPage)
        if rank == 0 { large.forEach(reach) }
    }

    private func reach(_ large: UInt64) {
        guard let count = pages.overflowCount(large) else { return }
        for page in large..<large &+ count { reached.insert(page) }
    }

    /// Notes the records of a page that lie within some ranges. Gives how many.
    private func take(_ nodes: SalvageNodes, _ number: UInt64, within ranges: [KeyHole]) -> Int {
        var count = 0
        for (index, node) in nodes.nodes {
            let key = Array(node.key)
            guard ranges.contains(where: { $0.contains(key) }) else { continue }
            locations.append(Location(key: key, page: number, index: index, rank: rank))
            count += 1
        }
        return count
    }

    // MARK: Strays

    /// Takes the leaves that nothing leads to and that are not free: their branch was damaged.
    private func takeStrays() {
        rank = 2
        let free = pages.roots.first.flatMap { pages.freePages(of: $0) } ?? PageSet(0)
        var number = PageLayout.firstPage
        while number < pages.pageCount {
            defer { number += 1 }
            guard !reached.contains(number), !free.contains(number) else { continue }
            // The pages of a value are no nodes, whatever they look like.
            if let count = pages.overflowCount(number) {
                number += count - 1
                continue
            }
            guard let page = pages.read(number), pages.flags(page) == PageLayout.isLeaf else { continue }
            let nodes = SalvageNodes(page, number: number, isLeaf: true)
            if nodes.isSound { _ = take(nodes, number, within: holes) }
        }
    }
}

extension Salvage {
    /// Keys of which some may be missing: from `first` on and before `end`; nil is no bound.
    struct KeyHole {
        var first: [UInt8]?
        var end: [UInt8]?

        func contains(_ key: [UInt8]) -> Bool {
            if let first, KeyHole.isBefore(key, first) { return false }
            if let end, !KeyHole.isBefore(key, end) { return false }
            return true
        }

        static func isBefore(_ key: [UInt8], _ other: [UInt8]) -> Bool {
            key.withUnsafeBytes { key in other.withUnsafeBytes { KeyOrder.isBefore(key, $0) } }
        }
    }
}
