internal import Glibc

/// Where the library tells what nobody has asked for, and somebody has to know. For what no bus's log can be asked.
enum StandardError {
    /// Writes a line, at once.
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
