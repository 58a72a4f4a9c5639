/// The writer's way through a block: finds what is there for each step of a path.
struct RouteWalk {
    let block: UnsafeMutablePointer<RouteBlock>
    let path: RoutePath

    /// How far a path leads into the tree.
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
        let root = block.root
        var stop = Stop(reference: root.reference, hash: root.hash)
        while stop.step < path.count {
            let hash = path.hash(of: stop.step, after: stop.hash, block.pointee.seeds)
            guard let next = child(of: stop.reference, by: stop.step, hash) else { break }
            stop = Stop(step: stop.step + 1, slot: next, reference: NodeReference(word: next.pointee), hash: hash)
        }
        return stop
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

    private func child(of reference: NodeReference, by step: Int, _ hash: PathHash) -> RouteWord? {
        guard !reference.isLeaf else { return nil }
        let node = node(reference)
        switch path.kind(step) {
        case .literal: return literal(of: reference.number, by: step, hash)
        case .parameter: return node.pointee.parameter == 0 ? nil : node.parameterWord
        case .suffix, .typed: return item(from: node.pointee.before, step)
        case .skip, .any: return item(from: node.pointee.after, step)
        case .rest: return nil
        }
    }

    private func literal(of node: UInt32, by step: Int, _ hash: PathHash) -> RouteWord? {
        guard let bytes = path.literal(step).baseAddress else { return nil }
        return block.find(node, path.key(step, block.pointee.seeds), hash, bytes)?.referenceWord
    }

    private func item(from first: UInt32, _ step: Int) -> RouteWord? {
        let rank = path.rank(step)
        var at = first
        while at != 0 {
            let item = block.pointee.items + Int(at)
            if item.pointee.rank == rank, !rank.isSuffix || suffix(of: item).elementsEqual(path.literal(step)) {
                return item.referenceWord
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
