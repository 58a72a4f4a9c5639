/// Why an operation failed: a status, a message for people, and where in the input.
public struct CrosstieError: Error, Sendable, CustomStringConvertible {
    public let status: Status
    /// A sentence for people. It may quote input.
    public let message: String
    /// Where in the input ("byte 12"), or empty.
    public let place: String
    /// The response of a request that came to its handler and failed there; nil for every other failure.
    public let response: Response?

    public init(_ status: Status, _ message: String, at place: String = "") {
        self.init(status, message, at: place, response: nil)
    }

    package init(_ status: Status, _ message: String, at place: String = "", response: Response?) {
        self.status = status
        self.message = message
        self.place = place
        self.response = response
    }

    public var description: String {
        place.isEmpty || message.hasPrefix(place) ? message : "\(message) (\(place))"
    }
}
