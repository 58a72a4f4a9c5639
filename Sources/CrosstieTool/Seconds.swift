import ArgumentParser
import CrosstieWormhole

/// A duration, or a time since 1970.
struct Seconds: ExpressibleByArgument {
    let nanoseconds: UInt64

    init?(argument: String) {
        guard let seconds = Double(argument), seconds >= 0, seconds < 9e9 else { return nil }
        nanoseconds = UInt64(seconds * 1e9)
    }
}
