import CrosstieJoin
import Synchronization
import Testing

@Suite struct JoinTests {
    /// Two buses of this process, joined to a group; the second one exports.
    private func joined(
        _ body: (_ own: Bus, _ other: Bus, _ group: Wormhole) throws -> Void
    ) throws {
        let scratch = Scratch()
        var options = WormholeOptions()
        options.directory = scratch.path + "/group"
        let (own, other, group) = (try Bus(), try Bus(), try Wormhole("test", options: options))
        defer {
            own.close()
            other.close()
            group.close()
        }
        try body(own, other, group)
    }

    @Test func componentsExportThemselves() throws {
        try joined { own, other, group in
            var options = ComponentOptions()
            options.isExported = true
            var action = Action("count") { _ in 5 }
            action.isIdempotent = true
            try other.addComponent("stock", actions: [action], options: options)
            let theirs = try other.join(group)
            let ours = try own.join(group, imports: ["stock"])
            #expect(try own.call("stock", "count").value == 5)
            #expect(try own.componentsAnywhere().map(\.name) == ["stock"])
            withExtendedLifetime((theirs, ours)) {}
        }
    }

    @Test func aListenerSeesPeers() throws {
        try joined { own, other, group in
            let seen = Mutex<[PeerEvent]>([])
            let ours = try own.join(group)
            try ours.onPeer { event, _ in seen.withLock { $0.append(event) } }
            let theirs = try other.join(group)
            try theirs.setExports(["stock"])
            theirs.leave()
            for _ in 0..<100_000 where seen.withLock({ $0.count }) < 3 { Clock.sleep(nanoseconds: 100_000) }
            #expect(seen.withLock { $0 } == [.joined, .changed, .left])
            try ours.onPeer(nil)
        }
    }

    @Test func aURLGoesToThePeerThatExportsIt() throws {
        try joined { own, other, group in
            _ = try other.route("app://items/:id", isPublic: true) { request in Value.string(request.url) }
            let theirs = try other.join(group, exports: ["app://items/*"])
            let ours = try own.join(group, imports: ["app://"])
            #expect(try own.open("app://items/5").value == "app://items/5")
            #expect(own.canOpen("app://items/5", anywhere: true) == .peer)
            #expect(own.canOpen("app://items/5") == .none)
            withExtendedLifetime((theirs, ours)) {}
        }
    }
}
