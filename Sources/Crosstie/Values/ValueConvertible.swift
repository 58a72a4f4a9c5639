/// A Swift object that can show its content as a value.
public protocol ValueConvertible: AnyObject, Sendable {
    /// The content. It may be asked for on any thread.
    func makeValue() throws -> Value
}
