internal import Glibc

/// Room on the disk, taken before it is written through a map: there a full disk would be a signal.
enum DiskSpace {
    /// Takes what lies from `start` to `end` of a file. Gives zero, or why it could not.
    static func take(_ file: Int32, from start: UInt64, to end: UInt64) -> Int32 {
        var failure: Int32
        repeat {
            failure = posix_fallocate(file, Int(clamping: start), Int(clamping: end &- min(start, end)))
        } while failure == EINTR
        return failure
    }
}
