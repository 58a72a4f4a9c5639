extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the thread that runs the request is its caller's, which will wait for its end.
    package var hasWaitingCaller: Bool {
        !pointee.isAsynchronous && !pointee.isShared && ThreadSlot.current.currentRequest == self
    }

    /// Where the caller's thread waits for the answer. Only for that thread, and while ``hasWaitingCaller``.
    package var answerPlace: (any AnswerPlace)? {
        get { pointee.extras?.answerPlace }
        nonmutating set {
            if newValue != nil || pointee.extras != nil { extras.answerPlace = newValue }
        }
    }
}
