package import CCrosstie

/// The severity of a line of the log.
public enum LogLevel: Int32, Sendable {
    case debug = 0
    case info = 1
    case warning = 2
    case error = 3

    /// Calls a host's log with a line of this level.
    package func write(_ log: ctie_logger_fn, _ line: String, _ context: CallbackContext) {
        var line = line
        line.withUTF8 { text in
            UnsafeRawBufferPointer(text).withMemoryRebound(to: CChar.self) { text in
                log(rawValue, ctie_str(data: text.baseAddress, size: text.count), context.pointer)
            }
        }
    }
}
