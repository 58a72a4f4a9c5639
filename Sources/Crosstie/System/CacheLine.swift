/// Room that keeps what writers change out of the cache line that readers read: they would lose it with every change.
///
/// Valid when all zero.
package struct CacheLine {
    package static var size: Int { 64 }

    private let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    package init() {}
}
