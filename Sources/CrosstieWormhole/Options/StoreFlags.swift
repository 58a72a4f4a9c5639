/// The flags of a store that its creator decides: bits in the wakeups.
enum StoreFlags {
    /// Every process writes into the mapped store itself.
    static var fast: UInt32 { 1 }
    /// Data is on the disk before writing returns.
    static var system: UInt32 { 2 }

    /// Whether flags read from a file are a choice that one can make.
    static func areKnown(_ flags: UInt32) -> Bool { flags <= system }
}
