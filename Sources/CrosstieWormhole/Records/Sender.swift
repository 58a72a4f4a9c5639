/// The sender, as in the records.
struct Sender {
    let pid: Int32
    let name: [UInt8]
    /// Whether a full durable consumer keeps it from sending.
    var keepsLimits = true

    func stamp(_ sequence: UInt64) -> Stamp { Stamp(sequence: sequence, time: WallClock.now(), pid: pid) }
}
