/// Something that a bus makes when its name is performed, and asks by selectors.
public protocol Performer: Sendable {
    /// Answers as a handler does: by what it returns, replies or throws. One that does not know the selector calls
    /// ``Request/refuse(_:_:)`` with *noAction*, and returns nil.
    func perform(_ selector: String, _ request: Request) throws -> Value?
}
