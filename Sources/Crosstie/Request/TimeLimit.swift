/// How many milliseconds a request was given, for the words of one that took longer.
struct TimeLimit: BitwiseCopyable {
    private var word: UInt32

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
        return own == 0 ? RequestSpec.synchronousTimeoutMilliseconds : own
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Sets when the request ends at the latest: never after the one that it is made in or for.
    @inline(always)
    func setDeadline(_ milliseconds: Int64, within parent: RequestBlock.Pointer?) {
        let own = Clock.deadline(milliseconds: milliseconds)
        guard let parent, parent.pointee.deadline < own else {
            pointee.deadline = own
            return
        }
        pointee.deadline = parent.pointee.deadline
        pointee.timeLimit = parent.pointee.timeLimit.forInner
    }
}
