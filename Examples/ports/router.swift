// A rule router: its table, a newer one from its server, and the three kinds of URL.
import Crosstie

let bus = try Bus()

// [port]
let lists = RuleOptions(
    publicSchemes: ["daqun"], privateSchemes: ["daqun-app"], routeHosts: ["route"], webHosts: ["m.daqun.example"])
try bus.loadRules(file: "ports/rules.json", lists)
try bus.setNavigator { request in
    print(" ", request.rule?["target"]?.stringValue ?? "?", try request.params.json())
    return nil
}
try bus.setSystemOpener { request in
    print("  the system opens", request.url)
    return nil
}

func follow(_ url: String, from origin: Origin) {
    print(origin, url)
    do { try bus.open(url, origin: origin) } catch { print(" ", error.status) }
}

follow("daqun://route/home/category_search?type=1&keywords=kw&fromVC=IMSessionVC", from: .local)
follow("daqun://route/home/category_search?type=1&keywords=kw", from: .remote)
follow("https://m.daqun.example/home/category_search?type=2", from: .remote)
follow("daqun://route/home/category_search?type=all", from: .remote)
follow("daqun://route/im/session?id=123&name=ginhoor", from: .local)

try bus.loadRules(file: "ports/rules-pushed.json", lists)
follow("daqun://route/im/session?id=123&name=ginhoor", from: .local)
follow("daqun://route/im/session?id=123&name=ginhoor", from: .remote)
do {
    try bus.loadRules(file: "ports/rules.json", lists)
} catch {
    print("old table:", error.status)
}

print("link", try bus.generate(rule: "route.home.category_search", ValueMap([("type", 1)])))
print("link", try bus.generate(rule: "route.home.category_search", ValueMap([("type", 1)]), web: true))
follow("https://elsewhere.example/home", from: .local)

/// The messenger's. Its target is known by name alone.
struct Session: Performer {
    func perform(_ selector: String, _ request: Request) throws -> Value? {
        guard selector == "logout" else {
            try request.refuse(.noAction)
            return nil
        }
        return .string("user \(request.params["id"]?.intValue ?? 0) is logged out")
    }
}

try bus.registerPerformer("Session") { Session() }
try bus.allow("swift:Session")
print(try bus.perform("swift:Session", "logout", ["id": 123]).value.stringValue ?? "")
// [end]
