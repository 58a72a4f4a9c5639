internal import Glibc

/// An error of an operation: a status, a message for people, and its location in the input.
public struct CrosstieError: Error, Sendable, CustomStringConvertible {
    public let status: Status
    /// A sentence for people. It may quote input.
    public var message: String {
        guard text.isEmpty else { return text }
        let said = failure?.message ?? ""
        return said.isEmpty ? status.message : said
    }
    /// Where in the input ("byte 12"), or empty.
    public let location: String
    /// Empty where the response or the status has the message.
    private let text: String
    /// The failed request that the error reports; nil for every other failure.
    ///
    /// It is a reference, since errors are passed through many functions, and each would copy its parts.
    package let failure: RequestFailure?

    public init(_ status: Status, _ message: String, at location: String = "") {
        self.init(status, message, at: location, failure: nil)
    }

    package init(_ status: Status, _ message: String, at location: String = "", failure: RequestFailure?) {
        self.status = status
        text = message
        self.location = location
        self.failure = failure
    }

    public var description: String {
        location.isEmpty || message.hasPrefix(location) ? message : "\(message) (\(location))"
    }
}

extension CrosstieError {
    /// The failure of a system call.
    package static func system(_ operation: String, _ code: Int32) -> CrosstieError {
        let status: Status =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: .noSpace
            case ENOMEM: .outOfMemory
            default: .systemFailure
            }
        return CrosstieError(status, "\(operation): \(String(cString: strerror(code)))")
    }
}
