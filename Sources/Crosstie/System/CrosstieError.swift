/// Why an operation failed: a status, a message for people, and where in the input.
public struct CrosstieError: Error, Hashable, Sendable, CustomStringConvertible {
    public let status: Status
    /// A sentence for people. It may quote input.
    public let message: String
    /// Where in the input ("byte 12"), or empty.
    public let place: String

    public init(_ status: Status, _ message: String, at place: String = "") {
        self.status = status
        self.message = message
        self.place = place
    }

    public var description: String {
        place.isEmpty ? message : "\(message) (\(place))"
    }
}
