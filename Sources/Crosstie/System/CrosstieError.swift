internal import Glibc

/// Why an operation failed: a status, a message for people, and where in the input.
public struct CrosstieError: Error, Sendable, CustomStringConvertible {
    public let status: Status
    /// A sentence for people. It may quote input.
    public var message: String {
        guard text.isEmpty else { return text }
        let said = response?.message ?? ""
        return said.isEmpty ? status.message : said
    }
    /// Where in the input ("byte 12"), or empty.
    public let place: String
    /// The response of a request that came to its handler and failed there; nil for every other failure.
    public var response: Response? { failure?.response }
    /// Empty where the response or the status has the message.
    private let text: String
    /// A reference, since errors are passed through many functions, and each would copy the response's parts.
    private let failure: FailedResponse?

    public init(_ status: Status, _ message: String, at place: String = "") {
        self.init(status, message, at: place, response: nil)
    }

    package init(_ status: Status, _ message: String, at place: String = "", response: Response?) {
        self.status = status
        text = message
        self.place = place
        failure = response.map(FailedResponse.init)
    }

    public var description: String {
        place.isEmpty || message.hasPrefix(place) ? message : "\(message) (\(place))"
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

/// The response that an error carries.
private final class FailedResponse: Sendable {
    let response: Response

    init(_ response: Response) { self.response = response }
}
