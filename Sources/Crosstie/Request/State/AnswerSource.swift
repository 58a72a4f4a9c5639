/// The source of an answer from another process, for the one thread that waits for the end of the request.
package protocol AnswerSource: AnyObject {
    /// Sleeps until an answer may have come, the word is no longer as it was seen, or the time is over; nil for no end.
    /// Ends the request with an answer that has come.
    ///
    /// - Returns: false if the time was over or a signal came.
    func sleep(on word: UnsafeRawPointer, seen: UInt32, nanoseconds: UInt64?) -> Bool
}
