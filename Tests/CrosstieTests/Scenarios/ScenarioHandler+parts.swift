@testable import Crosstie
import CrosstieJoin

/// The parts of a request that a handler may reply or note. Items that a request does not have are null.
extension ScenarioHandler {
    func echo(_ action: ScenarioStep, of request: Request) -> Value {
        let parts = (action.data["parts"]?.listValue ?? []).compactMap(\.stringValue)
        let values = parts.map { ($0, part($0, of: request)) }
        return values.count == 1 ? values[0].1 : .map(ValueMap(values))
    }

    func part(_ name: String, of request: Request) -> Value {
        switch name {
        case "params": .map(ValueMap(request.pathParameters.map { ($0.name, .string($0.value)) }))
        case "pairs": .list(request.query.map { [.string($0.name), .string($0.value)] })
        case "converted": request.params
        case "arguments": request.arguments
        case "rule": request.rule ?? .null
        case "user_info": request.userInfo
        case "origin": .string(request.origin == .local ? "local" : "remote")
        case "kind": .string("\(request.kind)")
        case "timed": .bool(request.timeLeft != nil)
        case "minutes": request.timeLeft.map { .int(($0.components.seconds + 59) / 60) } ?? .null
        case "ended": .bool(request.hasEnded)
        case "peer": request.peer?["name"] ?? .null
        case "leaving": .bool(request.isLeaving)
        case "cancelled": .bool(request.isCancelled)
        case "cached": .bool(request.isCached)
        case "releasing": .bool(request.isRelease)
        case "target", "action": namePart(name == "target" ? request.target : request.action, of: request)
        default: request.kind == .open ? urlPart(name, of: request) : .null
        }
    }

    private func urlPart(_ name: String, of request: Request) -> Value {
        switch name {
        case "url": .string(request.url)
        case "scheme": .string(request.scheme)
        case "host": .string(request.host)
        case "path": .string(request.path)
        case "query": request.queryText.map(Value.string) ?? .null
        case "fragment": request.fragment.map(Value.string) ?? .null
        case "pattern": .string(request.pattern)
        case "unmatched": .string(request.unmatched)
        default: .null
        }
    }

    /// A URL that came by a rule has the rule's target; any other has none.
    private func namePart(_ name: String, of request: Request) -> Value {
        request.kind == .open && name.isEmpty ? .null : .string(name)
    }
}
