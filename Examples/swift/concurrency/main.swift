// Requests and messages for Swift's concurrency: no thread waits while a task does.
import CrosstieConcurrency

// [component]
/// An actor is a component, too.
actor Stock: Component {
    static var actions: [Action] {
        [
            Action("take", of: Stock.self) { stock, request in
                .int(await stock.take(request.params["count"]?.intValue ?? 1))
            }
        ]
    }

    private var left: Int64 = 10

    func take(_ count: Int64) -> Int64 {
        left -= count
        return left
    }
}
// [end]

let bus = try Bus("shop")

// [requests]
try bus.addComponent(Stock(), name: "stock")
try bus.route("app://orders/:id") { request in
    let left = try await bus.call("stock", "take", ["count": 3]).value
    return ["order": .string(request["id"] ?? ""), "left": left]
}
print(try await bus.open("app://orders/42").value.json())
// [end]

// [cancel]
let waiting = AsyncStream.makeStream(of: Void.self)
try bus.route("app://slow") { (_: Request) async throws in
    waiting.continuation.yield()
    try await Task.sleep(for: .seconds(3600))
    return nil
}
let opening = Task { try await bus.open("app://slow", timeout: .forever) }
for await _ in waiting.stream { break }
opening.cancel()  // cancels the request, and that its handler's task
do {
    _ = try await opening.value
} catch Status.cancelled {
    print("cancelled")
}
// [end]

// [progress]
try bus.addComponent(
    "images",
    actions: [
        Action("scale") { request in
            for percent in [50, 100] { try request.progress(.int(Int64(percent))) }
            return "scaled"
        }
    ])
let scaling = try bus.start(.call("images", "scale"))
for await percent in scaling.progress { print(percent.intValue ?? 0, "%") }
print(try await scaling.response().value.stringValue ?? "")
// [end]

var options = WormholeOptions()
options.isInMemory = true
let wormhole = try Wormhole("shop", options: options)

// [messages]
let jobs = wormhole.queue("jobs", durable: "worker", unacknowledged: 10)
for job in ["pack", "send", "close"] { try wormhole.send("jobs", .string(job)) }
for try await message in jobs {
    print(message.value?.stringValue ?? "")
    message.acknowledge()
    if message.value == "close" { break }
}

try wormhole.send("price", 5)
for try await message in wormhole.messages("price") {
    print("price", message.value?.intValue ?? 0)
    break
}
// [end]
