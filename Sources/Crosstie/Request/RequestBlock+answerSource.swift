extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the thread that runs the request is its caller's, which will wait for its end.
    package var hasWaitingCaller: Bool {
        !pointee.isAsynchronous && !pointee.isShared && ThreadSlot.current.currentRequest == self
    }

    /// The source of the answer for which the caller's thread waits. Only for that thread, and while ``hasWaitingCaller``.
    package var answerSource: (any AnswerSource)? {
        get { pointee.extras?.answerSource }
        nonmutating set {
            if newValue != nil || pointee.extras != nil { extras.answerSource = newValue }
        }
    }
}
