/// A place where the answer to a request arrives from another process, for the one thread that waits for its end.
package protocol AnswerPlace: AnyObject {
    /// Sleeps until an answer may have come, the word is no longer as it was seen, or the time is over; nil for no end.
    /// Ends the request with an answer that has come.
    ///
    /// - Returns: false if the time was over or a signal came.
    func sleep(on word: UnsafeRawPointer, seen: UInt32, nanoseconds: UInt64?) -> Bool
}

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
