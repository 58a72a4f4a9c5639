/// The milliseconds that a request was given, for the message of one that took longer.
struct TimeLimit: BitwiseCopyable {
    private var word: UInt32

    /// The time of a synchronous request whose caller names none.
    static var usualMilliseconds: Int64 { 2500 }

    /// Of a synchronous request whose caller says nothing about it.
    static var usual: TimeLimit { TimeLimit(word: 0) }

    private static var inherited: UInt32 { 1 << 31 }

    private init(word: UInt32) { self.word = word }

    init(milliseconds: Int64) { word = UInt32(clamping: min(milliseconds, Int64(Int32.max))) }

    /// The same, of a request that is made within one with this limit, and has to end with it.
    @inline(__always)
    var forInner: TimeLimit { TimeLimit(word: word | TimeLimit.inherited) }

    /// Whether it is the limit of the request that this one was made in or for.
    var isInherited: Bool { word & TimeLimit.inherited != 0 }

    var milliseconds: Int64 {
        let own = Int64(word & ~TimeLimit.inherited)
        return own == 0 ? TimeLimit.usualMilliseconds : own
    }
}
