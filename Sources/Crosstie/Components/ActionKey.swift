/// The names of a component and an action as one key: their bytes one behind the other, zeros up to a whole word, and a
/// seeded hash.
///
/// The hash multiplies and folds word by word, as wyhash does (Wang Yi, https://github.com/wangyi-fudan/wyhash).
package struct ActionKey {
    let bytes: UnsafeRawPointer
    let targetSize: UInt16
    let actionSize: UInt16
    let hash: UInt32

    /// The bytes must be aligned to 8, and zero behind the names up to the next multiple of 8.
    @inline(__always)
    init(_ bytes: UnsafeRawPointer, targetSize: Int, actionSize: Int, seed: UInt64) {
        self.bytes = bytes
        self.targetSize = UInt16(truncatingIfNeeded: targetSize)
        self.actionSize = UInt16(truncatingIfNeeded: actionSize)
        var state = seed ^ UInt64(truncatingIfNeeded: targetSize << 16 | actionSize)
        for word in 0..<ActionKey.words(targetSize &+ actionSize) {
            state = ActionKey.fold(state ^ bytes.load(fromByteOffset: word &* 8, as: UInt64.self))
        }
        // Zero stands for an empty place.
        hash = UInt32(truncatingIfNeeded: state >> 32) | 1
    }

    /// An odd number without pattern: the golden ratio's fraction.
    @inline(__always)
    private static func fold(_ state: UInt64) -> UInt64 {
        let product = state.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    @inline(__always)
    static func words(_ size: Int) -> Int { (size &+ 7) >> 3 }

    @inline(__always)
    var words: Int { ActionKey.words(size) }

    @inline(__always)
    var size: Int { Int(targetSize) &+ Int(actionSize) }
}

extension ActionKey {
    /// Runs `body` with the key of two names that come from elsewhere than a request.
    static func with<Result>(
        _ target: String, _ action: String, seed: UInt64, _ body: (ActionKey) -> Result
    ) -> Result {
        let text = Array(target.utf8) + Array(action.utf8)
        let room = UnsafeMutablePointer<UInt64>.allocate(capacity: words(text.count) + 1)
        defer { room.deallocate() }
        room.initialize(repeating: 0, count: words(text.count) + 1)
        UnsafeMutableRawBufferPointer(start: room, count: text.count).copyBytes(from: text)
        return body(
            ActionKey(
                UnsafeRawPointer(room), targetSize: target.utf8.count, actionSize: action.utf8.count, seed: seed))
    }
}
