/// A component as listings describe it.
public struct ComponentDescription: Sendable {
    public let name: String
    public let doc: String
    public let language: String
    /// Empty for none.
    public let type: String
    /// Where its asynchronous calls run; empty for the bus's default.
    public let dispatcher: String
    public let priority: Int32
    public let isStatic: Bool
    /// By name.
    public let actions: [Action]
    /// The peer that has it: a map with its `member`, `name`, `pid` and `uid`; nil for a component of the bus. A peer makes
    /// known the exported name alone, `component.action` for an action that it exports by itself.
    public let peer: Value?

    /// An action as listings describe it.
    public struct Action: Sendable {
        public let name: String
        public let doc: String
        public let isEvent: Bool
        public let isWorkerOnly: Bool
    }

    init(_ offer: Elsewhere.Offer) {
        (name, peer) = (offer.name, offer.peer)
        (doc, language, type, dispatcher, priority, isStatic) = ("", "", "", "", 0, false)
        actions = []
    }

    init(_ content: ComponentContent) {
        peer = nil
        name = content.name
        doc = content.doc
        language = content.language
        type = content.type
        dispatcher = content.dispatcher
        priority = content.priority
        isStatic = content.isStatic
        actions = content.actions.sorted { $0.name < $1.name }.map {
            Action(name: $0.name, doc: $0.doc, isEvent: $0.isEvent, isWorkerOnly: $0.isWorkerOnly)
        }
    }
}
