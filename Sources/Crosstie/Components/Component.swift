/// A type whose objects are components: named sets of actions that others call by name.
///
/// ```swift
/// final class Home: Component {
///     static var actions: [Action] { [Action("greet", Home.greet)] }
///
///     func greet(_ request: Request) -> Value? { "hello \(request.params["name"]?.stringValue ?? "you")" }
/// }
///
/// try bus.addComponent(Home())
/// try bus.call("Home", "greet", ["name": "Ada"]).value   // "hello Ada"
/// ```
public protocol Component: AnyObject, Sendable {
    /// The name for callers; by default the type's name.
    static var name: String { get }
    /// Its actions; at most 1,024, each name once.
    static var actions: [Action] { get }
}

extension Component {
    public static var name: String { "\(Self.self)" }
}
