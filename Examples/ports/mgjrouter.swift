// The application of MGJRouter's README.
import CrosstieConcurrency

let bus = try Bus()

// [port]
let templateURL = "mgj://search/:keyword"

@Sendable func logUser(_ request: Request) -> Value? {
    print("user", request.userInfo["user_id"]?.intValue ?? 0)
    return nil
}

@Sendable func logURL(_ request: Request) -> Value? {
    print("opened", request.url)
    return nil
}

try bus.route("mgj://foo/bar", handler: logUser)
try await bus.open("mgj://foo/bar")

try bus.route("mgj://category/家居", handler: logURL)
try await bus.open("mgj://category/家居")

try bus.route("mgj://category/travel", handler: logUser)
try await bus.open("mgj://category/travel", userInfo: ["user_id": 1900])

try bus.route("mgj://search/:query") { request in
    print("query \(request["query"] ?? ""), color \(request["color"] ?? "")")
    return nil
}
try await bus.open("mgj://search/bicycle?color=red")

try bus.route("mgj://", handler: logURL)
try await bus.open("mgj://search/travel/china?has_travelled=0")

let page = AsyncStream.makeStream(of: Void.self)
try bus.route("mgj://detail") { (_: Request) async in
    print("matched, and done in a while")
    for await _ in page.stream { break }
    return nil
}
let opening = Task { try await bus.open("mgj://detail") }
page.continuation.yield()  // the page is there
_ = try await opening.value
print("open is done")

try bus.route(templateURL, isReplacing: true) { request in
    print("keyword", request["keyword"] ?? "")
    return nil
}
try await bus.open(bus.generate(templateURL, ["Hangzhou"]))

try bus.route("mgj://search_top_bar") { _ in "a search bar" }
print("got", try await bus.open("mgj://search_top_bar").value.stringValue ?? "")
// [end]
