/// The way in which a URL has to match a pattern.
public enum MatchMode: Int32, Sendable {
    /// As the bus has it.
    case `default` = 0
    /// The whole URL.
    case exact = 1
    /// Where no route takes the whole, the one that takes its longest leading part.
    case nearest = 2

    @inline(__always)
    func isNearest(on bus: BusRecord.Pointer) -> Bool {
        self == .nearest || (self == .default && bus.pointee.isNearest)
    }
}
