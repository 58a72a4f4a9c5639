import Crosstie
import CrosstieWormhole

extension Wormhole {
    /// Stores an object as the identifier's current message and wakes its listeners.
    ///
    /// - Throws: as ``CrosstieWormhole/Wormhole/send(_:_:)``; the errors of ``Crosstie/Value/init(encoding:)``.
    @_disfavoredOverload
    @discardableResult
    public func send(_ identifier: String, _ content: some Encodable) throws(CrosstieError) -> Sent {
        let value = try Value(encoding: content)
        return try send(identifier, value)
    }
}

extension Message {
    /// The value as an object.
    ///
    /// - Throws: as ``Crosstie/Value/decoded(as:)``; *wrongType* for a message without a value.
    public func decoded<Content: Decodable>(as type: Content.Type = Content.self) throws(CrosstieError) -> Content {
        guard let value else { throw CrosstieError(.wrongType, "a message of kind \(kind) has no value") }
        return try value.decoded(as: type)
    }
}
