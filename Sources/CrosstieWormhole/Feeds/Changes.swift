/// The hashes of identifiers that have changed.
enum Changes {
    case none
    case one(UInt64)
    case many(Set<UInt64>)
    /// Any may have.
    case unknown

    @inline(__always)
    mutating func insert(_ hash: UInt64) {
        switch self {
        case .none: self = .one(hash)
        case .one(let other): if other != hash { self = .many([other, hash]) }
        case .many(var hashes):
            self = .none
            hashes.insert(hash)
            self = .many(hashes)
        case .unknown: break
        }
    }
}
