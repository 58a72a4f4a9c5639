import Synchronization
import Testing

@testable import Crosstie

/// Remembers what it was asked for.
private final class Everything: ShareProvider, OauthProvider, LaunchProvider, OpenURLProvider, ActivityProvider {
    let name: String
    let isInstalled: Bool
    let isSupported: Bool
    let endpoints: [Endpoint: Set<ShareKind>] = [.weiboTimeline: [.text, .image], .qqFriend: []]
    let platform = Platform.wechat
    let appID = "WX123"
    let universalLink = "https://example.com/app"
    private let asked = Mutex<[String]>([])

    init(_ name: String = "everything", isInstalled: Bool = true, isSupported: Bool = true) {
        (self.name, self.isInstalled, self.isSupported) = (name, isInstalled, isSupported)
    }

    var all: [String] { asked.withLock { $0 } }

    private func note(_ what: String) -> Value? {
        asked.withLock { $0.append(what) }
        return .null
    }

    func share(_ message: Value, to endpoint: Endpoint, _ request: Request) -> Value? {
        note("share \(message["text"]?.stringValue ?? "-") to \(endpoint.rawValue)")
    }

    func oauth(_ parameters: Value, _ request: Request) -> Value? {
        _ = note("oauth \(parameters["scope"]?.stringValue ?? "-")")
        return ["com.nuomi1.bus.wechat.code": "c0de", "empty": "", "none": nil]
    }

    func launch(_ program: Value, _ request: Request) -> Value? {
        note("launch \(program["path"]?.stringValue ?? "-")")
    }

    func open(_ url: String, _ request: Request) -> Value? { note("open \(url)") }

    func open(activity: Value, _ request: Request) -> Value? {
        note("activity \(activity["webpageURL"]?.stringValue ?? "-")")
    }
}

struct ProviderTests {
    private func bus(_ providers: any Provider...) throws -> Bus {
        let bus = try Bus()
        for provider in providers { try bus.addProvider(provider) }
        return bus
    }

    private func status(_ body: () throws -> Void) -> Status {
        do {
            try body()
            return .ok
        } catch {
            return (error as? CrosstieError)?.status ?? .handlerFailed
        }
    }

    @Test func eachProtocolIsACapability() throws {
        let provider = Everything()
        let bus = try bus(provider)
        try bus.share(.text("hello"), to: .weiboTimeline)
        let info = try bus.oauth(with: .wechat, ["scope": "user"]).value
        try bus.launch(["path": "p"], on: .wechat)
        #expect(try bus.openByProvider(url: "wx123:back"))
        #expect(
            try bus.openByProvider(activity: [
                "activityType": "NSUserActivityTypeBrowsingWeb", "webpageURL": "https://example.com/app/1",
            ]))
        #expect(info == ["com.nuomi1.bus.wechat.code": "c0de"])
        #expect(
            provider.all == [
                "share hello to \(Endpoint.weiboTimeline.rawValue)", "oauth user", "launch p", "open wx123:back",
                "activity https://example.com/app/1",
            ])
    }

    @Test func aListingHasEverything() throws {
        let described = try #require(try bus(Everything()).providers().first)
        #expect(described.name == "everything" && !described.isPublic)
        #expect(described.capabilities == [.open, .share, .oauth, .launch, .activity])
        #expect(described.endpoints.map(\.endpoint) == [.qqFriend, .weiboTimeline])
        #expect(described.endpoints.map(\.kinds.count) == [7, 2])
        #expect(described.platform == .wechat && described.appID == "wx123")
    }

    @Test func aProviderWithoutACapabilityIsRefused() throws {
        struct Nothing: Provider { let name = "nothing" }
        #expect(status { _ = try bus(Nothing()) } == .invalidArgument)
    }

    @Test func theKindIsOneOfTheEndpoints() throws {
        let bus = try bus(Everything())
        #expect(
            status { _ = try bus.share(.webPage("https://example.com"), to: .weiboTimeline) } == .unsupportedMessage)
        #expect(status { _ = try bus.share(.webPage("https://example.com"), to: .qqFriend) } == .ok)
        #expect(status { _ = try bus.share(.text("hello"), to: .wechatFriend) } == .noHandler)
    }

    @Test func missingFieldsAreReportedFirst() throws {
        let empty = SharedMessage(.text, ValueMap())
        let absent = try bus(Everything(isInstalled: false, isSupported: false))
        #expect(status { _ = try absent.share(empty, to: .weiboTimeline) } == .notInstalled)
        let old = try bus(Everything(isSupported: false))
        #expect(status { _ = try old.share(empty, to: .weiboTimeline) } == .unsupportedApp)
        #expect(status { _ = try bus(Everything()).share(empty, to: .weiboTimeline) } == .invalidParameter)
    }

    @Test func messagesHaveTheirFields() {
        let media = SharedMessage.Media(title: "t", description: "d", thumbnail: [1])
        #expect(fields(.text("a")) == ["text": "a"])
        #expect(fields(.image([7])) == ["data": .bytes([7])])
        #expect(
            fields(.audio("https://a.example", dataLink: "https://b.example", media)) == [
                "link": "https://a.example", "dataLink": "https://b.example", "title": "t", "description": "d",
                "thumbnail": .bytes([1]),
            ])
        #expect(fields(.file([7], extension: "pdf")) == ["data": .bytes([7]), "fileExtension": "pdf"])
        let program = SharedMessage.miniProgram("m", path: "p", link: "https://a.example", .test)
        #expect(fields(program) == ["miniProgramID": "m", "path": "p", "link": "https://a.example", "kind": "test"])
        #expect(program.value["identifier"] == .string(ShareKind.miniProgram.rawValue))
    }

    private func fields(_ message: SharedMessage) -> Value { .map(message.fields) }

    @Test func twoSharesAtOnceKnowNothingOfEachOther() throws {
        struct Slow: ShareProvider {
            let name = "slow"
            let endpoints: [Endpoint: Set<ShareKind>] = [.weiboTimeline: []]
            let kept = Held()

            final class Held: Sendable {
                let requests = Mutex<[RetainedRequest]>([])
            }

            func share(_ message: Value, to endpoint: Endpoint, _ request: Request) throws -> Value? {
                let retained = try request.retain()
                kept.requests.withLock { $0.append(retained) }
                return nil
            }
        }
        let slow = Slow()
        let bus = try bus(slow)
        let calls = try ["a", "b"].map { try bus.shareAsync(.text($0), to: .weiboTimeline) }
        while slow.kept.requests.withLock({ $0.count }) < 2 { Clock.sleep(nanoseconds: 100_000) }
        for retained in slow.kept.requests.withLock({ $0 }).reversed() {
            try retained.request.reply(retained.request.arguments["text"] ?? .null)
        }
        #expect(try calls.map { try $0.wait().value } == ["a", "b"])
    }

    @Test func logsGoWhereTheyAreSent() throws {
        let bus = try bus(Everything())
        let lines = Lines()
        bus.setLog { lines.add("\($0) \($1)") }
        try bus.log("one", by: "everything")
        try bus.setLog(of: "everything") { message, file, _, line in lines.add("\(message) in \(file), \(line > 0)") }
        try bus.log("two", by: "everything")
        #expect(lines.all == ["info everything: one", "two in CrosstieTests/ProviderTests.swift, true"])
        #expect(status { try bus.log("three", by: "nobody") } == .notFound)
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }
}
