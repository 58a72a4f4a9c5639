/// The position at which the next search for expired messages begins.
final class ExpirySweep {
    private let lock = Lock()
    private var next: [UInt8] = []

    deinit { lock.free() }

    var position: [UInt8] {
        get { lock.with { next } }
        set { lock.with { next = newValue } }
    }
}
