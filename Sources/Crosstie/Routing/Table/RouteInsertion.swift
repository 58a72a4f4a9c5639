internal import CPlatform

/// One insertion into a block that has room for it.
///
/// New nodes, entries and items are written first; a single store of a linking word then shows them to readers.
struct RouteInsertion {
    private let block: UnsafeMutablePointer<RouteBlock>
    private let path: RoutePath

    init(block: UnsafeMutablePointer<RouteBlock>, path: RoutePath) {
        (self.block, self.path) = (block, path)
    }

    func run(value: UInt32, replacing: Bool) -> RouteTable.InsertResult {
        let walk = RouteWalk(block: block, path: path)
        let stop = walk.stop()
        if let word = walk.valueWord(stop) {
            let isLeaf = stop.reference.isLeaf
            let old = NodeReference(word: word.pointee).number
            if old != 0, !replacing { return .conflict(old) }
            cp_word_release(word, isLeaf ? NodeReference(leaf: value).word : value)
            if old != 0 { return .replaced(old) }
        } else {
            attach(value, at: stop)
        }
        block.countRoute(of: path, by: 1)
        return .inserted
    }

    /// Adds the steps that are missing. A leaf that gets children becomes a node with its value.
    private func attach(_ value: UInt32, at stop: RouteWalk.Stop) {
        let old = stop.reference
        let word = old.isLeaf ? newNode(old.number, stop.hash, isScheme: stop.step == 1) : old.word
        let linked = word | link(word & NodeReference.numbers, stop.hash, stop.step, value)
        SchedulePoint.pass()
        if let slot = stop.slot, linked != old.word { cp_word_release(slot, linked) }
    }

    /// Adds the steps from `step` on under a node. Returns the bit that its reference needs.
    private func link(_ node: UInt32, _ hash: PathHash, _ step: Int, _ value: UInt32) -> UInt32 {
        let owner = block.pointee.nodes + Int(node)
        let kind = path.kind(step)
        if kind == .rest {
            cp_word_release(owner.restWord, value)
            return NodeReference.afterBit
        }
        let below = path.hash(of: step, after: hash, block.pointee.seeds)
        let child = subtree(below, step + 1, value)
        switch kind {
        case .literal:
            addEntry(node, step, below, child)
            return NodeReference.literalBit
        case .parameter:
            cp_word_release(owner.parameterWord, child)
            return NodeReference.parameterBit
        case .suffix, .typed:
            addItem(owner.beforeWord, step, child)
            return NodeReference.beforeBit
        default:
            addItem(owner.afterWord, step, child)
            return NodeReference.afterBit
        }
    }

    /// New nodes for the steps from `step` on. A node's number is always above that of the node before it.
    private func subtree(_ hash: PathHash, _ step: Int, _ value: UInt32) -> UInt32 {
        guard step < path.count else { return NodeReference(leaf: value).word }
        let node = newNode(0, hash, isScheme: step == 1)
        return node | link(node, hash, step, value)
    }

    private func newNode(_ value: UInt32, _ hash: PathHash, isScheme: Bool) -> UInt32 {
        let number = block.pointee.counts.pointee.nodes
        block.pointee.counts.pointee.nodes += 1
        let routes: UInt32 = isScheme && value != 0 ? 1 : 0
        (block.pointee.nodes + number).initialize(
            to: RouteNode(value: value, parameter: 0, rest: routes, before: 0, after: 0, hash: hash))
        return UInt32(truncatingIfNeeded: number)
    }

    private func addEntry(_ node: UInt32, _ step: Int, _ hash: PathHash, _ child: UInt32) {
        let key = path.key(step, block.pointee.seeds)
        let high = key.isLong ? UInt64(block.pointee.addText(path.literal(step))) : key.high
        block.pointee.add(key, high: high, hash: hash, from: node, to: child)
    }

    /// Adds an item where its rank belongs; equal ranks differ in their suffix, and only one of them can match.
    private func addItem(_ head: RouteWord, _ step: Int, _ child: UInt32) {
        let rank = path.rank(step)
        var link = head
        while link.pointee != 0, block.pointee.items[Int(link.pointee)].rank.word < rank.word {
            link = (block.pointee.items + Int(link.pointee)).nextWord
        }
        let text = rank.isSuffix ? block.pointee.addText(path.literal(step)) : 0
        let salt = path.salt(step, block.pointee.seeds)
        let item = RouteItem(rank: rank, text: text, salt: salt, reference: child, next: link.pointee)
        cp_word_release(link, block.pointee.add(item))
    }
}
