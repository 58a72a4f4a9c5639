internal import Glibc
import Testing

@testable import Crosstie

/// The arguments of the system's tools, recorded by programs in their place.
@Suite struct SystemProviderTests {
    private let scratch = Scratch()

    private func options(_ change: (inout SystemProviderOptions) -> Void = { _ in }) -> SystemProviderOptions {
        var options = SystemProviderOptions()
        (options.mail, options.opener) = (scratch.path + "/mail", scratch.path + "/opener")
        (options.clipboard, options.launcher) = (scratch.path + "/clipboard", scratch.path + "/launcher")
        options.directory = scratch.path + "/files"
        mkdir(options.directory, 0o700)
        change(&options)
        return options
    }

    private func bus(_ options: SystemProviderOptions? = nil) throws -> Bus {
        let bus = try Bus()
        try bus.addProvider(try SystemProvider(options ?? self.options()))
        return bus
    }

    /// The status and message of a share or a launch.
    private func outcome(_ body: () throws -> Response) -> (status: Status, message: String) {
        do {
            return (try body().status, "")
        } catch let error as CrosstieError {
            return (error.status, error.message)
        } catch {
            return (.invalidArgument, "")
        }
    }

    private func share(
        _ message: SharedMessage, by method: String? = nil, on bus: Bus
    ) -> (status: Status, message: String) {
        let info = method.map { [OptionKey.systemMethod.rawValue: .string($0)] as Value } ?? .null
        return outcome { try bus.share(message, to: .systemActivity, options: RequestOptions(userInfo: info)) }
    }

    private let media = SharedMessage.Media(title: "--help", description: "\\n $(id)", thumbnail: [1])
    private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]

    private var written: [String] { Scratch.list(scratch.path + "/files") }

    @Test func textsAndLinksAreMailed() throws {
        let tool = StandIn(in: scratch, named: "mail")
        let bus = try bus()
        let link = "https://example.com/?a=b&c=%20"
        let escaped = "https%3A%2F%2Fexample.com%2F%3Fa%3Db%26c%3D%2520"
        let beside = "subject=--help&body=%5Cn%20%24%28id%29%0D%0A"
        for (message, expected) in [
            (.text("--body\n--attach"), "body=--body%0D%0A--attach"),
            (.webPage(link), "body=" + escaped),
            (.webPage(link, media), beside + escaped),
            (.video(link, media), beside + escaped),
            (
                .audio(link, dataLink: "https://example.com/a.ogg", media),
                "\(beside)\(escaped)%0D%0Ahttps%3A%2F%2Fexample.com%2Fa.ogg"
            ),
        ] as [(SharedMessage, String)] {
            #expect(share(message, on: bus).status == .ok)
            #expect(tool.arguments == ["--utf8", "mailto:?" + expected])
        }
        #expect(tool.input == [] && written == [])
    }

    @Test func imagesAndFilesAreOpened() throws {
        let tool = StandIn(in: scratch, named: "opener")
        let bus = try bus()
        for (message, name, data) in [
            (.image(png), "shared.png", png),
            (.image([0xFF, 0xD8, 0xFF], SharedMessage.Media(title: "a/b")), "a_b.jpg", [0xFF, 0xD8, 0xFF]),
            (.image([1]), "shared", [1]),
            (.file([0, 1], extension: "txt"), "shared.txt", [0, 1]),
            (.file([2], extension: "txt", name: "../-x.TXT", media), "_-x.TXT", [2]),
            (.file([3], extension: "txt", media), "help.txt", [3]),
        ] as [(SharedMessage, String, [UInt8])] {
            #expect(share(message, on: bus).status == .ok)
            let path = try #require(tool.arguments?.first)
            #expect(tool.arguments?.count == 1 && path.hasPrefix(scratch.path + "/files/crosstie-"))
            #expect(path.split(separator: "/").last.map(String.init) == name && readFile(path) == data)
        }
        #expect(written.count == 6)
        try bus.removeProvider(named: "system")
        #expect(written == [])
    }

    @Test func imagesAndFilesCanBeAttached() throws {
        let tool = StandIn(in: scratch, named: "mail")
        let bus = try bus()
        #expect(share(.file([7], extension: "txt", name: "a b", media), by: "mail", on: bus).status == .ok)
        let arguments = try #require(tool.arguments)
        #expect(arguments.count == 4 && arguments[0] == "--utf8" && arguments[1] == "--attach")
        #expect(arguments[2].hasSuffix("/a b.txt") && readFile(arguments[2]) == [7])
        #expect(arguments[3] == "mailto:?subject=--help&body=%5Cn%20%24%28id%29")
        #expect(share(.image(png), by: "mail", on: bus).status == .ok)
        #expect(tool.arguments?[2].hasSuffix("/shared.png") == true && tool.arguments?[3] == "mailto:?")
    }

    @Test func textsAndLinksAreCopied() throws {
        let tool = StandIn(in: scratch, named: "clipboard")
        let bus = try bus()
        let long = String(repeating: "é\0\n$(id)", count: 1 << 17)
        for (message, expected) in [
            (.text("-x"), "-x"), (.text(long), long), (.webPage("https://example.com", media), "https://example.com"),
        ] as [(SharedMessage, String)] {
            #expect(share(message, by: "clipboard", on: bus).status == .ok)
            #expect(tool.arguments == [] && tool.input == Array(expected.utf8))
        }
    }

    @Test func impossibleOptionsAreRefused() throws {
        let tools = ["mail", "opener", "clipboard"].map { StandIn(in: scratch, named: $0) }
        let bus = try bus()
        for (message, method) in [
            (.text("a"), "open"), (.webPage("https://example.com"), "open"), (.file([1], extension: "a"), "clipboard"),
            (.image(png), "clipboard"), (.text("a"), "fax"), (.text("a"), ""), (.text("a\0"), "mail"),
        ] as [(SharedMessage, String)] {
            #expect(share(message, by: method, on: bus).status == .invalidParameter, "\(method)")
        }
        let info: Value = [OptionKey.systemMethod.rawValue: 1]
        let options = RequestOptions(userInfo: info)
        #expect(
            outcome { try bus.share(.text("a"), to: .systemActivity, options: options) }.status == .invalidParameter)
        #expect(share(.text(String(repeating: "a", count: 1 << 20)), on: bus).status == .limitExceeded)
        #expect(
            share(.miniProgram("a", path: "b", link: "https://example.com", .test), on: bus).status
                == .unsupportedMessage)
        #expect(tools.allSatisfy { $0.arguments == nil } && written == [])
    }

    @Test(arguments: [
        ("exit 0", Status.ok, ""), ("exit 1", .unknownAnswer, "with 1"), ("exit 2", .unknownAnswer, "with 2"),
        ("exit 3", .notInstalled, "a program"), ("exit 4", .unknownAnswer, "with 4"),
        ("exit 255", .unknownAnswer, "with 255"),
        ("kill -15 $$", .unknownAnswer, "by signal 15"),
    ]) func howAToolEndsIsAStatus(_ ending: String, _ status: Status, _ what: String) throws {
        let bus = try bus()
        for (name, message) in [("mail", SharedMessage.text("a")), ("opener", .image(png))] {
            let tool = StandIn(in: scratch, named: name, then: ending)
            let outcome = share(message, on: bus)
            #expect(outcome.status == status && outcome.message.contains(what))
            #expect(status == .ok || outcome.message.contains(tool.path))
        }
        #expect(written.count == (status == .ok ? 1 : 0))
    }

    @Test func aToolThatIsNotThereIsNotInstalled() throws {
        let bus = try bus()
        writeFile(scratch.path + "/mail", Array("no program".utf8))
        mkdir(scratch.path + "/opener", 0o700)
        for (message, method, tool) in [
            (.text("a"), nil, "/mail"), (.image(png), nil, "/opener"), (.text("a"), "clipboard", "/clipboard"),
        ] as [(SharedMessage, String?, String)] {
            let outcome = share(message, by: method, on: bus)
            #expect(outcome.status == .notInstalled && outcome.message.contains(tool))
        }
        writeFile(scratch.path + "/mail", Array("#!/nowhere/sh\n".utf8), mode: 0o700)
        let outcome = share(.text("a"), on: bus)
        #expect(outcome.status == .systemFailure && outcome.message.contains("/mail"))
        #expect(written == [])
    }

    @Test func whereNothingCanBeWrittenIsSaid() throws {
        StandIn(in: scratch, named: "opener")
        let bus = try bus(options { $0.directory = scratch.path + "/none" })
        let outcome = share(.image(png), on: bus)
        #expect(outcome.status == .systemFailure && outcome.message.contains("/none"))
    }
}
