// A handler of NBus and an application that shares with it.
import Crosstie
import Synchronization

// [port]
/// Shows a sheet with the message. The user's action then is `user`.
final class System: ShareProvider {
    let name = "system"
    let endpoints: [Endpoint: Set<ShareKind>] = [.systemActivity: []]
    let user = Mutex(Status.ok)

    func share(_ message: Value, to endpoint: Endpoint, _ request: Request) throws -> Value? {
        let window = request.userInfo[OptionKey.systemPresentingViewController.rawValue]?.stringValue ?? "phone"
        let source = request.userInfo[OptionKey.systemSourceView.rawValue]?.stringValue
        guard window != "tablet" || source != nil else {  // a popover has to be somewhere
            try request.refuse(.invalidParameter, "no source view")
            return nil
        }
        var items = ["title", "description", "text", "link"].compactMap { message[$0]?.stringValue }
        if let data = message["data"]?.bytesValue { items.append("\(data.count) bytes") }
        print("\(window) \(source ?? "sheet"):", items.map { "[\($0)]" }.joined(separator: " "))
        let user = user.withLock { $0 }
        guard user != .ok else { return .null }
        try request.refuse(user)
        return nil
    }
}

let bus = try Bus()
let system = System()
try bus.addProvider(system)

func share(_ message: SharedMessage, to endpoint: Endpoint = .systemActivity, _ options: [OptionKey: Value] = [:]) {
    let beside = Value.map(ValueMap(options.map { ($0.key.rawValue, $0.value) }))
    do {
        try bus.share(message, to: endpoint, options: RequestOptions(userInfo: beside))
        print("shared")
    } catch {
        print(error.status)
    }
}

let page = SharedMessage.webPage("https://menu.example/")
share(.text("Lunch at noon"))
system.user.withLock { $0 = .userCancelled }
share(.image(Array("GIF89a".utf8), SharedMessage.Media(title: "A menu")))
system.user.withLock { $0 = .unknownAnswer }
share(page, [.systemPresentingViewController: "tablet"])
share(page, [.systemPresentingViewController: "tablet", .systemSourceView: "button"])
share(SharedMessage(.miniProgram, ValueMap()))
share(.text("Lunch at noon"), to: .wechatFriend)
// [end]
