extension Receipt {
    /// Of an engine, which counts the listeners itself; the number is in the place of the members that were notified.
    init(sequence: UInt64, listenerCount: UInt32) {
        self.init(sequence: sequence, notified: MemberMask(words: (UInt64(listenerCount), 0, 0, 0)))
    }

    var listenerCount: UInt32 { UInt32(clamping: notified.words.0) }
}
