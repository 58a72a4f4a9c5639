import Testing

@testable import Crosstie
@testable import CrosstieWormhole

@Suite("Groups in memory")
struct WormholeMemoryTests {
    private func open(_ group: String, mapSize: UInt64 = 2 << 20) throws -> Wormhole {
        var options = WormholeOptions()
        options.isInMemory = true
        options.mapSize = mapSize
        options.maximumMapSize = mapSize
        return try Wormhole(group, options: options)
    }

    @Test("Openings of one name share their messages")
    func shared() throws {
        let first = try open("memory-shared")
        let second = try open("memory-shared")
        let other = try open("memory-other")
        let inbox = Inbox()
        let listener = try second.listen("news") { inbox.receive($0) }
        #expect(inbox.wait(for: 1).first?.kind == MessageKind.none)
        #expect(try first.send("news", "hello").sequence == 1)
        #expect(inbox.wait(for: 2).last?.value == "hello")
        #expect(try second.message("news")?.value == "hello")
        #expect(try other.message("news") == nil)
        listener.remove()
        first.close()
        second.close()
        other.close()
    }

    @Test("The messages are removed with the last member")
    func removed() throws {
        let first = try open("memory-gone")
        try first.send("kept", 1)
        let second = try open("memory-gone")
        first.close()
        #expect(try second.message("kept")?.value == 1)
        second.close()
        let third = try open("memory-gone")
        #expect(try third.message("kept") == nil)
        #expect(try third.send("kept", 2).sequence == 1)
        third.close()
    }

    @Test("A full group says so, and destroying makes room")
    func full() throws {
        let wormhole = try open("memory-full", mapSize: 1 << 20)
        defer { wormhole.close() }
        let large = Value.bytes([UInt8](repeating: 1, count: 200_000))
        for number in 0..<4 { try wormhole.send("large.\(number)", large) }
        #expect(status { try wormhole.send("large.4", large) } == .noSpace)
        #expect(try wormhole.message("large.3") != nil)
        try wormhole.destroy("large.0")
        try wormhole.send("large.4", large)
    }

    @Test("Slots are used again, and their number is bounded")
    func slots() throws {
        var wormholes = try (0..<256).map { _ in try open("memory-slots") }
        #expect(status { _ = try open("memory-slots") } == .limitExceeded)
        wormholes.remove(at: 100).close()
        wormholes.append(try open("memory-slots"))
        #expect(wormholes.last?.core.slot == 100)
        for wormhole in wormholes { wormhole.close() }
    }

    @Test("It is memory, a directory, or neither")
    func exclusive() throws {
        var options = WormholeOptions()
        options.isInMemory = true
        options.directory = "/nowhere/at/all"
        #expect(status { try Wormhole("memory", options: options).close() } == .ok)
        options.isFast = true
        #expect(status { _ = try Wormhole("memory", options: options) } == .invalidArgument)
    }

    private func status(_ body: () throws -> Void) -> Status {
        do {
            try body()
            return .ok
        } catch {
            return (error as? CrosstieError)?.status ?? .systemFailure
        }
    }
}
