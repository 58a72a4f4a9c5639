internal import Glibc
import Synchronization

@testable import Crosstie
@testable import CrosstieWormhole

/// A directory that a test has for itself, removed at its end.
final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/crosstie-test-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template))
    }

    deinit { Scratch.remove(path) }

    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in list(path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// The directory of a group in it, which need not exist.
    var group: String { path + "/g" }

    func options() -> WormholeOptions {
        var options = WormholeOptions()
        options.directory = group
        options.mapSize = 2 << 20
        return options
    }

    func open() throws(CrosstieError) -> Wormhole { try Wormhole("test", options: options()) }

    /// The status with which opening fails.
    func openFailure() -> Status {
        do throws(CrosstieError) {
            _ = try open()
            return .ok
        } catch {
            return error.status
        }
    }

    /// Makes a group with one message, and closes it.
    func makeGroup() throws {
        let wormhole = try open()
        try wormhole.send("kept", 7)
        wormhole.close()
    }

    func overwrite(_ file: String, at offset: Int, with bytes: [UInt8]) {
        let descriptor = Glibc.open("\(group)/\(file)", O_WRONLY)
        pwrite(descriptor, bytes, bytes.count, offset)
        Glibc.close(descriptor)
    }

    static func list(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

extension Wormhole {
    /// The numbers of messages and blocks in the log.
    func logged() throws -> (messages: Int, blocks: Int) {
        var log = (messages: 0, blocks: 0)
        try core.group.store.reading().scanBlocks(after: 0) { _, block in
            log.messages += block?.count ?? 0
            log.blocks += 1
            return .next
        }
        return log
    }
}

/// Collects a listener's messages, and lets a test wait for them.
final class Inbox: Sendable {
    private let consumed = Mutex<[Message]>([])

    var messages: [Message] { consumed.withLock { $0 } }

    func receive(_ message: Message) { consumed.withLock { $0.append(message) } }

    /// Waits, for as long as a slow machine may need, until so many messages have come.
    func wait(for count: Int) -> [Message] {
        for _ in 0..<20_000 where messages.count < count { usleep(1000) }
        return messages
    }

    /// Waits until there is a message of some kind, and gives it.
    func wait(until isSought: (Message) -> Bool) -> Message? {
        for _ in 0..<20_000 {
            if let found = messages.first(where: isSought) { return found }
            usleep(1000)
        }
        return nil
    }

    /// Waits until the last message is of this sequence number.
    func waitForSequence(_ sequence: UInt64) -> [Message] {
        for _ in 0..<20_000 where messages.last?.sequence != sequence { usleep(1000) }
        return messages
    }
}
