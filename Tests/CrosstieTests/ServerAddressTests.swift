import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// `Tests/C/test_address.c` has many more.
@Suite("Addresses of groups on a server")
struct ServerAddressTests {
    private static func read(_ text: String) throws -> ServerAddress { try #require(try ServerAddress.find(in: text)) }

    private static func status(of text: String) -> Status {
        do throws(CrosstieError) {
            return try ServerAddress.find(in: text) == nil ? .notFound : .ok
        } catch {
            #expect(!"\(error)".contains("hunter2"))
            return error.status
        }
    }

    @Test("Other texts are no addresses", arguments: ["shop", "a.b", "", ":", ":/", "nats:", "a:b//c", "/a/b", "a@b"])
    func others(_ text: String) throws {
        #expect(try ServerAddress.find(in: text) == nil)
    }

    @Test("The parts are read")
    func parts() throws {
        let address = try ServerAddressTests.read("tls://m%65:p%3Aw@a,[::1]:7,127.0.0.1:65535/shop.one")
        #expect(address.scheme.usesTLS)
        #expect(address.login.user == Array("me".utf8))
        #expect(address.login.password == Array("p:w".utf8))
        #expect(address.login.token.isEmpty)
        #expect(address.hosts.text == Array("a:4222,[::1]:7,127.0.0.1:65535".utf8))
        #expect(!address.hosts.areLocal)
        #expect(address.group == "shop.one")
        #expect(try ServerAddressTests.read("nats://t@localhost/g").login.token == Array("t".utf8))
    }

    @Test(
        "Hosts that are this machine are known",
        arguments: [
            ("localhost", true), ("LOCALHOST:1", true), ("127.0.0.1", true), ("127.255.0.9,[::1]", true),
            ("[0:0:0:0:0:0:0:1]", true), ("[::2]", false), ("128.0.0.1", false), ("127.0.0.1.example", false),
            ("localhost,example", false), ("localhost.example", false),
        ])
    func local(_ hosts: String, _ areLocal: Bool) throws {
        #expect(try ServerAddressTests.read("nats://\(hosts)/g").hosts.areLocal == areLocal)
    }

    @Test("Limits hold")
    func limits() {
        let hosts = [String](repeating: "h", count: 32).joined(separator: ",")
        #expect(ServerAddressTests.status(of: "nats://\(hosts)/g") == .ok)
        #expect(ServerAddressTests.status(of: "nats://\(hosts),h/g") == .limitExceeded)
        let name = String(repeating: "h", count: 253)
        #expect(ServerAddressTests.status(of: "nats://\(name)/g") == .ok)
        #expect(ServerAddressTests.status(of: "nats://\(name)h/g") == .invalidArgument)
    }

    @Test("Whatever byte is changed or left out, the status is one of a few, and no error shows a secret")
    func changed() {
        let address = Array("nats://u:hunter2@host:4222,[::1]:1/shop".utf8)
        let known: Set<Status> = [.ok, .notFound, .invalidArgument, .invalidIdentifier, .unsupported, .limitExceeded]
        for position in address.indices {
            for byte in UInt8.min ... .max {
                var changed = address
                changed[position] = byte
                #expect(known.contains(ServerAddressTests.status(of: String(decoding: changed, as: UTF8.self))))
            }
            var shorter = address
            shorter.remove(at: position)
            #expect(known.contains(ServerAddressTests.status(of: String(decoding: shorter, as: UTF8.self))))
        }
    }

    @Test("Options show no secret")
    func shownOptions() {
        var options = WormholeOptions()
        options.server.password = "hunter2"
        #expect(!"\(options)".contains("hunter2") && !String(reflecting: options).contains("hunter2"))
    }

    @Test("Spans are milliseconds")
    func spans() {
        var options = ServerOptions()
        #expect(options.maximumAge == nil)
        options.maximumAge = .seconds(2)
        #expect(options.maximumAgeMilliseconds == 2000 && options.maximumAge == .seconds(2))
        options.maximumAge = .nanoseconds(1)
        #expect(options.maximumAgeMilliseconds == 1)
        options.maximumAge = nil
        #expect(options.maximumAgeMilliseconds == 0)
    }
}
