/// The writer's way through a block: finds the entries for each step of a path.
struct RouteWalk {
    let block: UnsafeMutablePointer<RouteBlock>
    let path: RoutePath

    /// The length of a path's match in the tree.
    struct Stop {
        /// The first step that nothing is there for; the path's count when all are there.
        var step = 0
        /// The word that holds ``reference``; the root has none.
        var slot: RouteWord?
        var reference: NodeReference
        /// Of the steps up to here.
        var hash: PathHash
    }

    func stop() -> Stop {
        var stop = Stop(reference: block.root.reference, hash: block.root.hash)
        while stop.step < path.count, let next = next(stop) { stop = next }
        return stop
    }

    private func next(_ stop: Stop) -> Stop? {
        guard !stop.reference.isLeaf else { return nil }
        let node = node(stop.reference)
        switch path.kind(stop.step) {
        case .literal: return literal(stop)
        case .parameter:
            guard node.pointee.parameter != 0 else { return nil }
            return behind(stop, node.parameterWord, stop.hash.stepToParameter())
        case .suffix, .typed: return item(stop, from: node.pointee.before)
        case .skip, .any: return item(stop, from: node.pointee.after)
        case .rest: return nil
        }
    }

    private func behind(_ stop: Stop, _ slot: RouteWord, _ hash: PathHash) -> Stop {
        Stop(step: stop.step + 1, slot: slot, reference: NodeReference(word: slot.pointee), hash: hash)
    }

    /// The word that holds the value of the path's route, where the path is there: a node's, or a leaf's reference.
    func valueWord(_ stop: Stop) -> RouteWord? {
        if stop.step == path.count {
            return stop.reference.isLeaf ? stop.slot : node(stop.reference).valueWord
        }
        guard path.kind(stop.step) == .rest, !stop.reference.isLeaf else { return nil }
        let word = node(stop.reference).restWord
        // A rest that has never been there also lacks the reference's bit that leads readers to it.
        return word.pointee == 0 ? nil : word
    }

    private func literal(_ stop: Stop) -> Stop? {
        guard stop.reference.hasLiteral, let bytes = path.literal(stop.step).baseAddress else { return nil }
        let seeds = block.pointee.seeds
        let key = path.key(stop.step, seeds)
        let hash = stop.hash.step(key, seeds)
        return block.find(stop.reference.number, key, hash, bytes).map { behind(stop, $0.referenceWord, hash) }
    }

    private func item(_ stop: Stop, from first: UInt32) -> Stop? {
        let rank = path.rank(stop.step)
        var at = first
        while at != 0 {
            let item = block.pointee.items + Int(at)
            if item.pointee.rank == rank, !rank.isSuffix || suffix(of: item).elementsEqual(path.literal(stop.step)) {
                return behind(stop, item.referenceWord, stop.hash.step(salt: item.pointee.salt, block.pointee.seeds))
            }
            at = item.pointee.next
        }
        return nil
    }

    private func suffix(of item: UnsafeMutablePointer<RouteItem>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: block.pointee.text + Int(item.pointee.text), count: item.pointee.rank.suffixLength)
    }

    func node(_ reference: NodeReference) -> UnsafeMutablePointer<RouteNode> {
        block.pointee.nodes + Int(reference.number)
    }
}
