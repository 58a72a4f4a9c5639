/// The slot where a caller waits for an answer, and the number of its use.
struct AnswerTicket: Equatable {
    let index: Int
    /// 30 bits.
    let generation: UInt32

    static var generations: UInt32 { 1 << 30 }
}
