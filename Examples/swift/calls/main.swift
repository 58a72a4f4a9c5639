// Components, calls and an event.
import Crosstie

// [component]
final class Home: Component {
    static let actions = [
        Action("greet", Home.greet),
        Action(Event.willTerminate, isEvent: true, Home.save),
    ]

    func greet(_ request: Request) -> Value? {
        .string("hello \(request.params["name"]?.stringValue ?? "you")")
    }

    func save(_ request: Request) -> Value? { true }
}
// [end]

let bus = try Bus("shop")

// [call]
try bus.addComponent(Home(), name: "home")
try bus.addComponent("echo", actions: [Action("say") { request in request.params }])

print(try bus.call("home", "greet", ["name": "Ada"]).value.stringValue ?? "")
print(try bus.call("home", "greet", options: RequestOptions(timeout: .milliseconds(500))).value.stringValue ?? "")
do {
    try bus.call("home", "sing")
} catch {
    print(error.response?.code ?? 0, error)
}
print(try bus.callAsync("echo", "say", ["x": 1]).wait().value["x"]?.intValue ?? 0)
// [end]

print(try bus.broadcast(Event.willTerminate).count)
