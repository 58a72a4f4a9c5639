internal import Glibc

/// Room on the disk, taken before it is written through a map: there a full disk would be a signal. So would be a file
/// larger than the process may make one, wherever it is written.
package enum DiskSpace {
    /// Allocates a file's space from `start` to `end`. Returns zero, or an error number.
    package static func take(_ file: Int32, from start: UInt64, to end: UInt64) -> Int32 {
        guard isAllowed(end) else { return EFBIG }
        var failure: Int32
        repeat {
            failure = posix_fallocate(file, Int(clamping: start), Int(clamping: end &- min(start, end)))
        } while failure == EINTR
        return failure
    }

    /// Whether the process may write a file up to so many bytes (`RLIMIT_FSIZE`); beyond, the kernel sends `SIGXFSZ`.
    package static func isAllowed(_ size: UInt64) -> Bool {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) != 0 || limit.rlim_cur >= size
    }

    /// - Throws: `noSpace`.
    package static func require(_ size: UInt64, for name: StaticString) throws(CrosstieError) {
        guard isAllowed(size) else { throw .system("write \(name)", EFBIG) }
    }
}
