/// The news in one state of the store.
struct StateView {
    let meta: StoreMeta
    let consumed: UInt64
    /// Changes after this one are left for later.
    let upTo: UInt64

    func isNews(_ sequence: UInt64) -> Bool { sequence > consumed && sequence <= upTo }
}
