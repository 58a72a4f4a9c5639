// Made from docs/join-format.json by .ci/frames.py.

extension Frame {
    enum Kind: UInt8 {
        case hello = 1
        case exports = 2
        case call = 3
        case answer = 4
        case progress = 5
        case cancel = 6
        case goodbye = 7
        case share = 8
        case memory = 9
        case open = 10
        case event = 11
        case descriptors = 12
    }

    static var version: UInt16 { 1 }
    /// The beginning of every greeting.
    static var magic: StaticString { "CTIEJOIN" }

    /// The most, or the least, that a frame may have.
    enum Limit {
        static var smallestLimit: Int { 4096 }
        static var largestLimit: Int { 67_108_864 }
        static var nameSize: Int { 64 }
        static var names: Int { 1024 }
        static var messageSize: Int { 65_536 }
        static var descriptors: Int { 16 }
    }

    /// The flags of a request.
    enum Flag {
        static var local: UInt8 { 1 }
        static var progress: UInt8 { 2 }
    }

    /// A packet: its size with the first byte, of which a socket's buffer holds several, and that byte.
    enum Packet {
        static var size: Int { 32_768 }
        static var last: UInt8 { 0 }
        static var part: UInt8 { 1 }
        static var wakeup: UInt8 { 2 }
    }
}

extension SharedLayout {
    static var magic: StaticString { "CTIEMEMO" }
    static var version: UInt32 { 2 }
    static var pageSize: Int { 4096 }
    static var slots: Int { 64 }
    static var slotSize: Int { 4096 }
    static var smallBlocks: Int { 8 }
    static var smallBlockSize: Int { 65_536 }
    static var largeBlocks: Int { 2 }
    static var largeBlockSize: Int { 1_114_112 }
    static var entrySize: Int { 16 }
    static var answerSize: Int { 32 }

    // Of a direction's control page.
    static var head: Int { 0 }
    static var tail: Int { 128 }
    static var wakeup: Int { 256 }
    static var entries: Int { 384 }
    static var blockWords: Int { 1408 }
    static var answers: Int { 2048 }
}
