// The home component of CBus's document.
import CrosstieConcurrency

// [port]
struct Answer: Codable {
    var status: String
    var message: String?
}

final class Home: Component {
    static var name: String { "home" }
    static var actions: [Action] {
        [
            Action("testAction") { (_: Request) in
                try Value(encoding: Answer(status: "success", message: "from testAction"))
            },
            Action("asyncAction") { (_: Request) async throws in
                await Task.yield()
                return try Value(encoding: Answer(status: "success"))
            },
        ]
    }
}

func show(_ answer: Answer) { print("\(answer.status): \(answer.message ?? "no message")") }

try StaticComponents.declare(Home.self) { Home() }
let bus = try Bus(options: BusOptions(hasStaticComponents: true))
show(try await bus.call("home", "testAction", ["name": "cbus"]))
show(try await bus.call("home", "asyncAction"))
// [end]
