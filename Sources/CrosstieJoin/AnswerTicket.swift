/// The place where a caller waits for an answer: which one, and for which of its uses.
struct AnswerTicket: Equatable {
    let index: Int
    /// 30 bits.
    let generation: UInt32

    static var generations: UInt32 { 1 << 30 }
}
