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
