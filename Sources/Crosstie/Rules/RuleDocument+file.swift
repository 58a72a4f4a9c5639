internal import CPlatform
internal import Glibc

extension RuleDocument {
    /// Reads a document from a regular file.
    ///
    /// - Throws: as ``read(_:options:)``; *systemFailure* when it cannot be read or is no regular file, *invalidArgument* for a NUL in
    ///   the path.
    package static func read(
        file path: String, _ options: RuleLoadOptions = RuleLoadOptions()
    ) throws(CrosstieError) -> RuleDocument {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw CrosstieError(.invalidArgument, "the path is empty or holds a NUL", at: "path")
        }
        // A FIFO must not be waited for.
        let file = cp_open_for_reading(path)
        guard file >= 0 else { throw .unreadable(path, errno) }
        defer { close(file) }
        var about = stat()
        guard fstat(file, &about) == 0 else { throw .unreadable(path, errno) }
        guard about.st_mode & S_IFMT == S_IFREG else {
            throw CrosstieError(.systemFailure, "\(Quotation.shown(path)) is no regular file")
        }
        return try contents(of: file, path).withRawBytes { bytes throws(CrosstieError) in
            try read(bytes, options: options)
        }
    }

    /// One byte more than a document may have is enough to refuse it.
    private static func contents(of file: Int32, _ path: String) throws(CrosstieError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: RuleLimits.text + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(file, UnsafeMutableRawBufferPointer(rebasing: $0[count...]).baseAddress, $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable(path, errno) }
            guard got > 0 else { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}

extension CrosstieError {
    fileprivate static func unreadable(_ path: String, _ reason: Int32) -> CrosstieError {
        CrosstieError(.systemFailure, "\(Quotation.shown(path)) cannot be read: \(String(cString: strerror(reason)))")
    }
}
