import CrosstieJoin
internal import Glibc
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

    @Test func aJoinRetainsItsWormhole() throws {
        let scratch = Scratch()
        var options = WormholeOptions()
        options.directory = scratch.path + "/group"
        let bus = try Bus()
        weak var kept: Wormhole?
        func join() throws -> Join {
            let wormhole = try Wormhole("test", options: options)
            kept = wormhole
            return try bus.join(wormhole)
        }
        var joined: Join? = try join()
        #expect(joined != nil && kept != nil)
        joined = nil
        #expect(kept == nil)
        bus.close()
    }

    @Test func descriptorsTravel() throws {
        try joined { own, other, group in
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let written = ends[1]
            try other.addComponent(
                "files",
                actions: [
                    Action("write") { request in
                        let file = request.params["file"]?.descriptorValue ?? -1
                        #expect(file != written)
                        #expect(write(file, "text", 4) == 4)
                        return try .descriptor(file)
                    }
                ])
            let theirs = try other.join(group, exports: ["files"])
            let ours = try own.join(group, imports: ["files"])
            let file = try Value.descriptor(written)
            let answer = try own.call("files", "write", ["file": file]).value
            #expect(write(answer.descriptorValue ?? -1, "more", 4) == 4)
            var bytes = [UInt8](repeating: 0, count: 100)
            #expect(read(ends[0], &bytes, 100) == 8)
            #expect(throws: CrosstieError.self) { try file.json() }
            #expect(throws: CrosstieError.self) { try Value.descriptor(-1) }
            withExtendedLifetime((theirs, ours)) {}
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
