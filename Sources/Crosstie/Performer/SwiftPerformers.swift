import Synchronization

/// Something that a bus makes when its name is performed, and asks by selectors.
public protocol Performer: Sendable {
    /// Answers as a handler does: by what it returns, replies or throws. One that does not know the selector calls
    /// ``Request/refuse(_:_:)`` with *noAction*, and returns nil.
    func perform(_ selector: String, _ request: Request) throws -> Value?
}

/// The library's own resolver of `swift:Name`: an object registered under a name is made for each request, or once and
/// kept.
final class SwiftPerformers: Sendable {
    typealias Factory = @Sendable () throws -> any Performer

    static var prefix: [UInt8] { Array("swift".utf8) }

    private struct Known {
        var factories: [String: Factory] = [:]
        var kept: [String: any Performer] = [:]
    }

    private let known = Mutex(Known())

    static var content: RegistrationContent {
        RegistrationContent(handler: perform, context: CallbackContext(holding: SwiftPerformers()))
    }

    /// - Throws: *conflict*.
    func register(_ name: String, _ make: @escaping Factory) throws(CrosstieError) {
        let isNew = known.withLock { known in
            guard known.factories[name] == nil else { return false }
            known.factories[name] = make
            return true
        }
        guard isNew else {
            throw CrosstieError(.conflict, "there is a performer \(Quotation.quoted(name))", at: "name")
        }
    }

    private static let perform: HandlerFunction = { raw, context in
        let handle = Handle(bits: UInt(bitPattern: raw))
        guard let performers = CallbackContext.object(context, as: SwiftPerformers.self),
            case .live(let block) = RequestBlock.request(handle), let target = block.target, let action = block.action
        else { return }
        let name = String(decoding: target.dropFirst(prefix.count + 1), as: UTF8.self)
        let selector = String(decoding: action, as: UTF8.self)
        let (isRelease, isCached) = (block.isRelease, block.isCached)
        Request(handle).handle { request in
            if isRelease { return try performers.letGo(name, request) }
            guard let performer = try performers.performer(name, isCached: isCached) else {
                try request.refuse(.noTarget)
                return nil
            }
            return try performer.perform(selector, request)
        }
    }

    /// Makes a performer, or takes the one that is kept. Nil for an unknown name.
    private func performer(_ name: String, isCached: Bool) throws -> (any Performer)? {
        let (kept, make) = known.withLock { ($0.kept[name], $0.factories[name]) }
        if isCached, let kept { return kept }
        guard let fresh = try make?() else { return nil }
        guard isCached else { return fresh }
        // Of two that are made at once, one is kept and used by both.
        return known.withLock { known in
            if let kept = known.kept[name] { return kept }
            known.kept[name] = fresh
            return fresh
        }
    }

    private func letGo(_ name: String, _ request: Request) throws -> Value? {
        guard known.withLock({ $0.kept.removeValue(forKey: name) }) != nil else {
            try request.refuse(.notFound)
            return nil
        }
        return .null
    }
}
