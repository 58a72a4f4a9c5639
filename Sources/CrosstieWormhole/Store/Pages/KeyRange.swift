/// The keys that a page may hold: from `first` on, and before `end`. Nil is no bound.
struct KeyRange {
    var first: UnsafeRawBufferPointer?
    var end: UnsafeRawBufferPointer?

    /// That of a branch's child.
    func part(_ index: Int, of nodes: PageNodes) -> KeyRange {
        KeyRange(
            first: index > 0 ? nodes[index].key : first, end: index + 1 < nodes.count ? nodes[index + 1].key : end)
    }
}
