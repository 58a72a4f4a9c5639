/// An action of a component: a handler under a name.
///
/// ```swift
/// Action("greet") { request in "hello \(request.params["name"]?.stringValue ?? "you")" }
/// Action("greet", Home.greet)   // a method of the component's type
/// ```
public struct Action: Sendable {
    /// A letter or `_`, then letters, digits, `_`, `.`, `-`; at most 128 bytes.
    public var name: String
    /// For people; at most 4,096 bytes.
    public var doc: String
    /// Whether it handles the event of its name.
    public var isEvent: Bool
    /// Whether it runs on a worker of the bus, also for a synchronous caller.
    public var isWorkerOnly: Bool
    /// Whether a call may run twice: one whose process ends before it answers goes once to another process.
    public var isIdempotent = false
    /// Whether its handler returns at once: it waits for nothing, or keeps the request and answers later. An asynchronous
    /// call runs it on the calling thread, before the call returns, unless an interceptor, a dispatcher or a peer is in
    /// between, or the component is lazy. True of `async` handlers; not together with ``isWorkerOnly``.
    public var isNonblocking = false
    /// The handler for the component's object; nil when that is of another type.
    let bind: @Sendable (AnyObject?) -> Handler?

    /// An action that a closure handles.
    public init(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        handler: @escaping Handler
    ) {
        self.name = name
        self.doc = doc
        self.isEvent = isEvent
        self.isWorkerOnly = isWorkerOnly
        bind = { _ in handler }
    }

    /// An action that a method of the component's object handles.
    public init<Object: Component>(
        _ name: String, doc: String = "", isEvent: Bool = false, isWorkerOnly: Bool = false,
        _ method: @escaping @Sendable (Object) -> Handler
    ) {
        self.name = name
        self.doc = doc
        self.isEvent = isEvent
        self.isWorkerOnly = isWorkerOnly
        bind = { ($0 as? Object).map(method) }
    }
}
