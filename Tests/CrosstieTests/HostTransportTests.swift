internal import CCrosstie
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

@Suite("A host's own transport")
struct HostTransportTests {
    private let host = FakeHost()

    private func open(
        hasMembers: Bool = true, watches: Bool = true, timeout: UInt32 = 5000
    ) throws -> Wormhole {
        var options = WormholeOptions()
        options.transport = host.transport(hasMembers: hasMembers, watches: watches)
        options.timeoutMilliseconds = timeout
        do {
            return try Wormhole("host", options: options)
        } catch {
            // As the C function does.
            options.transport?.destroy()
            throw error
        }
    }

    private func status(_ body: () throws -> Void) -> Status {
        do {
            try body()
            return .ok
        } catch {
            return (error as? CrosstieError)?.status ?? .systemFailure
        }
    }

    // MARK: Messages

    @Test("Messages are sent, read, received and destroyed", arguments: [true, false], [true, false])
    func messages(hasMembers: Bool, watches: Bool) throws {
        let first = try open(hasMembers: hasMembers, watches: watches)
        let second = try open(hasMembers: hasMembers, watches: watches)
        let inbox = Inbox()
        let listener = try second.listen("chat.*") { inbox.receive($0) }
        #expect(try first.send("chat.a", 1).sequence == 1)
        #expect(inbox.wait(for: 1).last?.value == 1)
        #expect(try second.send("chat.b", 2).sequence == 2)
        #expect(try first.message("chat.b")?.value == 2)
        _ = try first.signal("chat.a")
        #expect(inbox.waitForSequence(3).last?.kind == .signal)
        try first.destroy("chat.a")
        #expect(inbox.waitForSequence(4).last?.kind == .destroyed)
        #expect(try second.message("chat.a") == nil)
        try first.destroyAll()
        #expect(inbox.waitForSequence(5).last?.kind == .destroyed)
        #expect(try second.message("chat.b") == nil)
        #expect(first.core.slot != second.core.slot)
        listener.remove()
        second.close()
        first.close()
        #expect(host.destroyCount == 2)
    }

    @Test("The messages outlive the openings, and numbers go on")
    func reopened() throws {
        let first = try open()
        try first.send("kept", 1)
        first.close()
        let second = try open()
        #expect(try second.message("kept")?.value == 1)
        #expect(try second.send("kept", 2).sequence == 2)
        second.close()
        // The counts and the message: nobody is left.
        #expect(host.keys.map(\.first) == [StoreKey.meta, StoreKey.current])
    }

    // MARK: Other writers

    @Test("What others commit meanwhile has the step done again")
    func conflicts() throws {
        let wormhole = try open()
        var left = 3
        host.whenCalled = { [host] function in
            guard function == "commit", left > 0 else { return }
            left -= 1
            host.change([StoreKey.log, UInt8(left)], to: [1])
        }
        let sent = try wormhole.send("a", 1)
        #expect(left == 0)
        #expect(try wormhole.message("a")?.sequence == sent.sequence)
        host.whenCalled = { _ in }
        wormhole.close()
    }

    @Test("A writer that is disturbed again and again gives up at the deadline")
    func disturbedForEver() throws {
        let wormhole = try open(timeout: 500)
        host.whenCalled = { [host] function in
            if function == "commit" { host.change([StoreKey.log, 0], to: [1]) }
        }
        // The deadline may also pass before it has read the fate of its last attempt.
        let ended = status { try wormhole.send("a", 1) }
        #expect(ended == .timedOut || ended == .uncertain)
        host.whenCalled = { _ in }
        try wormhole.send("a", 2)
        #expect(try wormhole.message("a")?.value == 2)
        wormhole.close()
    }

    @Test("A conflict without a newer version may be this very commit, which the transport shows late")
    func unexplainedConflict() throws {
        let wormhole = try open(timeout: 500)
        host.fault = { $0 == "commit" ? Status.conflict.rawValue : nil }
        #expect(status { try wormhole.send("a", 1) } == .uncertain)
        host.fault = { _ in nil }
        try wormhole.send("a", 2)
        #expect(try wormhole.message("a")?.value == 2)
        wormhole.close()
    }

    // MARK: Members

    @Test("A member whose process died is known to be dead, and its slot is used again")
    func deaths() throws {
        let first = try open()
        let removed = try open()
        let owner = removed.core.memberID
        #expect(isAlive(owner, in: first.core.group))
        #expect(isAlive(first.core.memberID, in: removed.core.group))
        // It dies: its record stays.
        let key: [UInt8] = [StoreKey.member, UInt8(removed.core.slot)]
        let record = host.record(key)
        removed.close()
        #expect(host.record(key) == nil)
        host.change(key, to: record)
        host.kill(try #require(record.flatMap { $0.withUnsafeBytes { MemberRecord($0) } }).transportID)
        #expect(try first.core.group.lookForMembers(timeout: 0).dead.contains(Int(key[1])))
        #expect(!isAlive(owner, in: first.core.group))
        let next = try open()
        #expect(next.core.slot == Int(key[1]))
        next.close()
        first.close()
    }

    @Test("Without members it is the process of this machine that counts")
    func processes() throws {
        let wormhole = try open(hasMembers: false)
        let process = ProcessIdentity(pid: 1, start: 1, namespace: ProcessFiles.ownNamespace())
        var dead = MemberRecord(Member(process: process, since: 5, name: "dead"), transportID: 0)
        host.change([StoreKey.member, 200], to: dead.encoded)
        dead.boot = 1
        host.change([StoreKey.member, 201], to: dead.encoded)
        host.change([StoreKey.member, 202], to: [9, 9])
        let found = try wormhole.core.group.lookForMembers(timeout: 0).dead
        #expect(Set(found) == [200, 201])
        wormhole.core.group.tend()
        #expect(host.record([StoreKey.member, 200]) == nil && host.record([StoreKey.member, 201]) == nil)
        #expect(host.record([StoreKey.member, UInt8(wormhole.core.slot)]) != nil)
        wormhole.close()
    }

    private func isAlive(_ owner: UInt64, in group: Group) -> Bool {
        _ = try? group.lookForMembers(timeout: 0)
        guard (try? group.lockWriters(timeout: 1_000_000_000)) != nil else { return false }
        defer { group.unlockWriters() }
        return group.isAlive(owner: owner)
    }

    @Test("A member's record is read back, and any other bytes do no harm")
    func openingRecord() {
        let process = ProcessIdentity(pid: 7, start: 8, namespace: 11)
        let bytes = MemberRecord(Member(process: process, since: 9, name: "A"), transportID: 10).encoded
        let read = bytes.withUnsafeBytes { MemberRecord($0) }
        #expect(read?.member.process == process && read?.member.name == "A")
        #expect(read?.transportID == 10 && read?.consumed == .max)
        for length in 0..<bytes.count {
            #expect(bytes[..<length].withUnsafeBytes { MemberRecord($0) } == nil)
        }
        var random = SplitMix(state: 3)
        for _ in 0..<1000 {
            var bad = bytes
            bad[Int.random(in: 0..<bad.count, using: &random)] = .random(in: 0...255, using: &random)
            _ = bad.withUnsafeBytes { MemberRecord($0) }
        }
    }

    // MARK: A host that is wrong

    private func scan() throws -> [RecordStoreTests.Pair] {
        try RecordStoreTests.scan(try HostStore(host.transport()).beginReading(), from: [])
    }

    @Test("Statuses reach the caller; what is none is a failure of the system")
    func statuses() throws {
        let wormhole = try open()
        for (answer, expected) in [
            (Status.noSpace.rawValue, Status.noSpace), (Status.denied.rawValue, .denied), (1, .systemFailure),
            (77, .systemFailure),
            (-1000, .systemFailure), (Int32.min, .systemFailure),
        ] {
            for function in ["version", "commit"] {
                host.fault = { $0 == function ? answer : nil }
                #expect(status { try wormhole.send("a", 1) } == expected, "\(function) answers \(answer)")
            }
            host.fault = { $0 == "scan" ? answer : nil }
            #expect(status { _ = try wormhole.message("a") } == expected, "scan answers \(answer)")
        }
        host.fault = { _ in nil }
        try wormhole.send("a", 1)
        wormhole.close()
        #expect(host.destroyCount == 1)
    }

    @Test("Records out of order, without a key, or that are garbage do no harm")
    func wrongRecords() throws {
        let wormhole = try open()
        try wormhole.send("a", 1)
        try wormhole.send("b", 1)
        host.shown = { $0.reversed() }
        #expect(status { _ = try scan() } == .corruptData)
        host.shown = { found in found.flatMap { [$0, $0] } }
        #expect(status { _ = try scan() } == .corruptData)
        host.shown = { found in found.map { _ in ([], [1]) } }
        #expect(status { _ = try wormhole.message("a") } == .corruptData)
        host.shown = { found in found.map { ([UInt8](repeating: 0xF1, count: 600), $0.1) } }
        #expect(status { _ = try wormhole.message("a") } == .corruptData)
        host.shown = { found in found.map { ($0.0, [1, 2, 3]) } }
        #expect(status { _ = try wormhole.message("a") } == .corruptData)
        host.shown = nil
        #expect(try wormhole.message("a")?.value == 1)
        wormhole.close()
    }

    @Test(
        "Opening fails in order, and the transport is released once", arguments: ["version", "scan", "commit", "join"])
    func openingFails(function: String) throws {
        host.fault = { $0 == function ? Status.denied.rawValue : nil }
        #expect(status { _ = try open(timeout: 500) } == .denied)
        #expect(host.destroyCount == 1)
    }

    @Test("A missing function is refused")
    func missingFunctions() {
        var options = WormholeOptions()
        options.transport = HostTransport(ctie_transport(), context: nil)
        #expect(status { _ = try Wormhole("host", options: options) } == .invalidArgument)
    }

    @Test("A transport's function that calls its wormhole gets an error")
    func reentry() throws {
        let wormhole = try open()
        let listener = try wormhole.listen("a", initialDelivery: false) { _ in }
        var seen: Set<Status> = []
        var isInside = false
        host.whenCalled = { function in
            guard function == "commit", !isInside else { return }
            isInside = true
            seen.insert(self.status { try wormhole.send("a", 2) })
            seen.insert(self.status { _ = try wormhole.message("a") })
            seen.insert(wormhole.removeListeners())
            seen.insert(listener.remove())
            seen.insert(wormhole.close())
            isInside = false
        }
        try wormhole.send("a", 1)
        #expect(seen == [.deadlock])
        host.whenCalled = { _ in }
        listener.remove()
        #expect(wormhole.close() == .ok)
    }
}
