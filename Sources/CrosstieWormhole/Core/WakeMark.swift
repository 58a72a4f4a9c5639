/// The notifications seen when a thread began to look for new messages.
struct WakeMark {
    let wakeup: UInt32
    let watch: Wakeups.WriterWatch
}
