internal import Glibc
import Synchronization
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

@Suite struct WormholeLogTests {
    let scratch = Scratch()

    /// The lines that a wormhole has logged.
    private final class Lines: Sendable {
        private let delivered = Mutex<[String]>([])

        var all: [String] { delivered.withLock { $0 } }

        func add(_ level: LogLevel, _ line: String) { delivered.withLock { $0.append("\(level): \(line)") } }

        /// Waits, for as long as a slow machine may need.
        func wait(for count: Int) -> [String] {
            for _ in 0..<20_000 where all.count < count { usleep(1000) }
            return all
        }
    }

    private func open(_ lines: Lines) throws -> Wormhole {
        var options = scratch.options()
        options.log = lines.add
        return try Wormhole("test", options: options)
    }

    @Test func openingLogsThatAStoreWasSetAside() throws {
        try scratch.makeGroup()
        unlink(scratch.group + "/wakeups")
        let (opener, other) = (Lines(), Lines())
        let wormholes = [try open(opener), try open(other)]
        #expect(opener.all.count == 1 && opener.all.first?.hasPrefix("warning: the store in ") == true)
        #expect(other.all.isEmpty)
        _ = wormholes
    }

    @Test func aFailedOpeningLogsToo() throws {
        try scratch.makeGroup()
        for page in 2..<8 { scratch.overwrite("data.mdb", at: page * 4096, with: [0xFF, 0xFF, 0xFF, 0x7F]) }
        let lines = Lines()
        #expect(throws: CrosstieError.self) { try open(lines) }
        #expect(lines.all.count == 1 && lines.all.first?.contains("is damaged") == true)
    }

    @Test func eachWormholeOfAGroupLogsWithItsNextCall() throws {
        let (first, second) = (Lines(), Lines())
        let (one, two) = (try open(first), try open(second))
        let group = try #require(one.core.transport.records).group
        group.log(.warning, "something")
        #expect(first.all.isEmpty && second.all.isEmpty)
        try one.send("a", 1)
        #expect(first.all == ["warning: something"] && second.all.isEmpty)
        #expect(try two.message("a")?.value == 1)
        #expect(second.all == ["warning: something"])
        group.log(.info, "last words")
        #expect(one.close() == .ok && first.all.last == "info: last words")
        group.log(.info, "too late")
        try two.send("a", 2)
        #expect(first.all.count == 2 && second.all.last == "info: too late")
    }

    @Test func theThreadOfListenersLogsByItself() throws {
        let lines = Lines()
        let wormhole = try open(lines)
        let listener = try wormhole.listen("a") { _ in }
        try #require(wormhole.core.transport.records).group.log(.error, "something")
        #expect(lines.wait(for: 1) == ["error: something"])
        listener.remove()
    }

    /// A line that is written under the writers' lock is delivered without it: the log sends.
    @Test func noLockIsHeldMeanwhile() throws {
        let answers = Mutex<[Bool]>([])
        let place = Mutex<Wormhole?>(nil)
        var options = scratch.options()
        options.log = { _, _ in
            guard let wormhole = place.withLock({ $0 }) else { return }
            let isSent = (try? wormhole.send("log", 1)) != nil
            answers.withLock { $0.append(isSent && wormhole.close() == .pending) }
        }
        let wormhole = try Wormhole("test", options: options)
        place.withLock { $0 = wormhole }
        let transport = try #require(wormhole.core.transport.records)
        try transport.group.lockWriters(timeout: 1_000_000_000)
        transport.group.log(.warning, "something")
        transport.group.unlockWriters()
        _ = try wormhole.message("log")
        #expect(answers.withLock { $0 } == [true])
        place.withLock { $0 = nil }
    }

    @Test func unreadLinesAreBounded() throws {
        let lines = Lines()
        let wormhole = try open(lines)
        let group = try #require(wormhole.core.transport.records).group
        for number in 1...100 { group.log(.info, "\(number)") }
        _ = try wormhole.message("a")
        #expect(lines.all.count == 64 && lines.all.first == "info: 37" && lines.all.last == "info: 100")
    }
}
