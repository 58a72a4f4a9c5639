internal import CPlatform

/// The names of a component and an action as one key: each in whole words with zeros behind it, and a seeded hash.
struct ActionKey {
    /// The words, aligned.
    let bytes: UnsafeRawPointer
    let targetSize: UInt16
    let actionSize: UInt16
    let hash: UInt32

    @inline(__always)
    init(bytes: UnsafeRawPointer, targetSize: UInt16, actionSize: UInt16, hash: UInt32) {
        self.bytes = bytes
        self.targetSize = targetSize
        self.actionSize = actionSize
        self.hash = hash
    }

    /// The number of words that a name of so many bytes takes.
    @inline(__always)
    static func words(_ size: Int) -> Int { (size &+ 7) >> 3 }

    @inline(__always)
    var words: Int { ActionKey.words(Int(targetSize)) &+ ActionKey.words(Int(actionSize)) }
}

extension ActionKey {
    /// Multiplies and folds word by word, as wyhash does (Wang Yi, https://github.com/wangyi-fudan/wyhash).
    struct Hash {
        private var state: UInt64

        @inline(__always)
        init(_ targetSize: Int, _ actionSize: Int, seed: UInt64) {
            state = seed ^ UInt64(truncatingIfNeeded: targetSize << 16 | actionSize)
        }

        /// The factor is odd and without pattern: the golden ratio's fraction.
        @inline(__always)
        mutating func mix(_ word: UInt64) {
            let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            state = product.high ^ product.low
        }

        /// Never 0, which stands for an empty entry.
        @inline(__always)
        var value: UInt32 { UInt32(truncatingIfNeeded: state >> 32) | 1 }
    }

    /// Copies a name in whole words. Each is put together in a register: one that was stored in parts would have to
    /// wait before it can be loaded as a whole.
    @inline(__always)
    static func copy(_ name: UnsafeRawBufferPointer, to start: UnsafeMutableRawPointer, _ hash: inout Hash) {
        guard let bytes = name.baseAddress else { return }
        var offset = 0
        while offset &+ 8 <= name.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            start.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            hash.mix(word)
            offset &+= 8
        }
        guard offset < name.count else { return }
        let word = cp_short_word(bytes + offset, UInt32(truncatingIfNeeded: name.count &- offset))
        start.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        hash.mix(word)
    }

    /// Runs `body` with the key of two names that come from elsewhere than a request.
    static func with<Result>(
        _ target: String, _ action: String, seed: UInt64, _ body: (ActionKey) -> Result
    ) -> Result {
        var (target, action) = (target, action)
        return target.withUTF8 { target in
            action.withUTF8 { action in
                with(UnsafeRawBufferPointer(target), UnsafeRawBufferPointer(action), seed: seed, body)
            }
        }
    }

    private static func with<Result>(
        _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer, seed: UInt64, _ body: (ActionKey) -> Result
    ) -> Result {
        let room = UnsafeMutablePointer<UInt64>.allocate(capacity: words(target.count) + words(action.count) + 1)
        defer { room.deallocate() }
        var hash = Hash(target.count, action.count, seed: seed)
        copy(target, to: room, &hash)
        copy(action, to: room + words(target.count), &hash)
        return body(
            ActionKey(
                bytes: room, targetSize: UInt16(truncatingIfNeeded: target.count),
                actionSize: UInt16(truncatingIfNeeded: action.count), hash: hash.value))
    }
}
