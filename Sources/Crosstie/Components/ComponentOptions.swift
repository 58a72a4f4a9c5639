/// Options of a component on its bus.
public struct ComponentOptions: Sendable {
    /// For people; at most 4,096 bytes.
    public var doc: String
    /// Where its asynchronous calls run; empty for the bus's default.
    public var dispatcher: String
    /// A higher one gets an event first; among equals, by name.
    public var priority: Int32
    /// Whether it replaces a component of the same name.
    public var isReplacing: Bool
    /// Whether other processes may call it, as if it were named in the exports of each of the bus's joins.
    public var isExported = false
    /// Before its actions, in their order; at most 64.
    public var interceptors: [Handler]

    public init(
        doc: String = "", dispatcher: String = "", priority: Int32 = 0, isReplacing: Bool = false,
        interceptors: [Handler] = []
    ) {
        self.doc = doc
        self.dispatcher = dispatcher
        self.priority = priority
        self.isReplacing = isReplacing
        self.interceptors = interceptors
    }

    /// - Throws: *limitExceeded*.
    func check() throws(CrosstieError) {
        guard doc.utf8.count <= ComponentContent.maximumDocSize else {
            throw CrosstieError(.limitExceeded, "a component's doc has at most 4,096 bytes", at: "doc")
        }
        guard dispatcher.utf8.count <= Name.maximumSize else {
            throw CrosstieError(.limitExceeded, "a dispatcher's name has at most 128 bytes", at: "dispatcher")
        }
    }
}
