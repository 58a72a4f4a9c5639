import Synchronization
import Testing

@testable import Crosstie

@Suite struct PipelineTests {
    @Test func anUnansweredOpenSucceedsWithNull() throws {
        let bus = try Bus()
        try bus.route("app://x") { _ in nil }
        let response = try bus.open("app://x")
        #expect(response.value == .null && response.code == 1)
    }

    @Test func failuresCarryTheHandlersCode() throws {
        let bus = try Bus()
        try bus.route("app://x") { _ in throw HandlerFailure(code: 77, message: "no", value: [1]) }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://x") }
        #expect(error?.status == .handlerFailed && error?.message == "no")
        #expect(error?.response?.code == 77 && error?.response?.value == [1])
    }

    @Test func releasingWithoutAnAnswerIsNoReply() throws {
        let bus = try Bus()
        try bus.route("app://x") { request in
            _ = try request.retain()
            return nil
        }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://x") }
        #expect(error?.status == .noReply && error?.response?.code == 40_021)
    }

    @Test func aSynchronousOpenWaitsForALaterAnswer() throws {
        let bus = try Bus()
        try bus.route("app://x") { request in
            let retained = try request.retain()
            inThread {
                Clock.sleep(nanoseconds: 2_000_000)
                try? retained.request.reply("late")
            }
            return nil
        }
        #expect(try bus.open("app://x", timeout: .forever).value == "late")
    }

    @Test func theDeadlineEndsTheWait() throws {
        let bus = try Bus()
        let kept = Mutex<RetainedRequest?>(nil)
        try bus.route("app://x") { request in
            let retained = try request.retain()
            kept.withLock { $0 = retained }
            return nil
        }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://x", timeout: .milliseconds(500)) }
        #expect(error?.status == .timedOut && error?.response?.code == 10_002)
        let late = #expect(throws: CrosstieError.self) { try kept.withLock { try $0?.request.reply(1) } }
        #expect(late?.status == .alreadyDone)
    }

    @Test func opensInARemoteRequestAreRemote() throws {
        let bus = try Bus()
        let kept = Mutex<RetainedRequest?>(nil)
        try bus.route("app://gate", isPublic: true) { request in
            let retained = try request.retain()
            kept.withLock { $0 = retained }
            return nil
        }
        try bus.route("app://private") { _ in "secret" }
        for (origin, expected) in [(Origin.remote, Status.denied), (.local, .ok)] {
            let call = try bus.openAsync("app://gate", origin: origin)
            while kept.withLock({ $0 == nil }) { Clock.sleep(nanoseconds: 100_000) }
            let parent = try #require(kept.withLock { $0?.request })
            #expect((try? bus.open("app://private", parent: parent))?.status ?? .denied == expected)
            #expect(try bus.openAsync("app://private", parent: parent).wait().status == expected)
            try parent.reply(.null)
            kept.withLock { $0 = nil }
            #expect(try call.wait().status == .ok)
            let error = #expect(throws: CrosstieError.self) { try bus.open("app://private", parent: parent) }
            #expect(error?.status == .invalidHandle && error?.location == "options.parent")
        }
    }

    @Test func aHandlerThatRemovesItselfHandsOnToTheNextBest() throws {
        let bus = try Bus()
        let own = Mutex<Registration?>(nil)
        let first = try bus.route("app://x/:id") { request in
            own.withLock { _ = $0?.remove() }
            try request.decline()
            return nil
        }
        own.withLock { $0 = first }
        try bus.route("app://x/*rest") { _ in "next" }
        #expect(try bus.open("app://x/1").value == "next")
    }

    @Test func sixtyFourMayDecline() throws {
        let bus = try Bus()
        let asked = Mutex(0)
        for bits in 0..<128 {
            let segments = (0..<7).map { bits >> $0 & 1 == 0 ? "a" : ":p\($0)" }
            try bus.route("app://x/" + segments.joined(separator: "/")) { request in
                asked.withLock { $0 += 1 }
                try request.decline()
                return nil
            }
        }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://x/a/a/a/a/a/a/a") }
        #expect(error?.status == .limitExceeded && asked.withLock { $0 } == 65)
    }

    @Test func aHeldRequestThatTooManyDeclineIsNobodysAnyMore() throws {
        let bus = try Bus()
        let kept = Mutex<RetainedRequest?>(nil)
        try bus.intercept { request in
            let retained = try request.retain()
            kept.withLock { $0 = retained }
            try request.proceed()
            return nil
        }
        for bits in 0..<128 {
            let segments = (0..<7).map { bits >> $0 & 1 == 0 ? "a" : ":p\($0)" }
            try bus.route("app://x/" + segments.joined(separator: "/")) { request in
                try request.decline()
                return nil
            }
        }
        // The caller keeps the record, as a response does.
        let outcome = try withBytes(of: "app://x/a/a/a/a/a/a/a") { url throws(CrosstieError) in
            OpenKind.open(bus.handle, url, RequestSpec(isLocal: true), keeping: true)
        }
        let block = try #require(outcome.block)
        defer { block.drop() }
        let request = try #require(kept.withLock { $0?.request })
        kept.withLock { $0 = nil }
        let error = #expect(throws: CrosstieError.self) { try request.retain() }
        #expect(outcome.status == .limitExceeded && error?.status == .invalidHandle)
    }

    @Test func nobodyDeclinesTwiceWhenABetterRouteComesMeanwhile() throws {
        let bus = try Bus()
        let (declined, better) = (Counter(), Counter())
        try bus.route("app://x/:id") { request in
            declined.add()
            try bus.route("app://x/1") { request in
                better.add()
                try request.decline()
                return nil
            }
            try request.decline()
            return nil
        }
        try bus.route("app://x/*rest") { _ in "last" }
        #expect(try bus.open("app://x/1").value == "last")
        #expect(declined.count == 1 && better.count == 1)
    }

    @Test func declinedRequestsGoToTheNextBest() throws {
        let bus = try Bus()
        try bus.route("app://a/b") { request in
            try request.decline()
            return nil
        }
        let plain = try bus.route("app://a/:x", isPublic: true) { request in .string(request["x"] ?? "") }
        #expect(try bus.open("app://a/b").value == "b")
        plain.remove()
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://a/b") }
        #expect(error?.status == .noRoute)
    }

    @Test func trustIsInherited() throws {
        let bus = try Bus()
        try bus.route("app://private") { _ in 1 }
        try bus.route("app://public", isPublic: true) { [unowned bus] request in
            #expect(request.origin == .remote)
            return try bus.open("app://private", origin: .local).value
        }
        let error = #expect(throws: CrosstieError.self) { try bus.open("app://public", origin: .remote) }
        #expect(error?.status == .handlerFailed)
        let denied = #expect(throws: CrosstieError.self) { try bus.open("app://private", origin: .remote) }
        #expect(denied?.status == .denied)
    }

    @Test func nestingIsBounded() throws {
        let bus = try Bus()
        let depth = Counter()
        try bus.route("app://deeper") { [unowned bus] _ in
            depth.add(1)
            do {
                return try bus.open("app://deeper").value
            } catch let error as CrosstieError {
                return .int(Int64(error.status.rawValue))
            }
        }
        #expect(try bus.open("app://deeper").value == .int(Int64(Status.nestedTooDeeply.rawValue)))
        #expect(depth.count == 64)
    }
}

@Suite struct AsynchronousTests {
    @Test func everyCompletionRunsOnce() throws {
        let bus = try Bus(options: BusOptions(maximumWorkers: 4))
        try bus.route("app://n/:n<int>") { request in .int(Int64(request["n"] ?? "") ?? -1) }
        let sum = Counter()
        let count = Counter()
        let calls = try (1...500).map { number in
            try bus.openAsync("app://n/\(number)") { response in
                sum.add(Int(response.value.intValue ?? 0))
                count.add(1)
            }
        }
        for call in calls { _ = try call.wait() }
        bus.close()
        #expect(count.count == 500)
        #expect(sum.count == 500 * 501 / 2)
    }

    @Test func cancelAndAnswerRace() throws {
        let bus = try Bus()
        try bus.route("app://x") { _ in 1 }
        let completions = Counter()
        for _ in 0..<2000 {
            let call = try bus.openAsync("app://x") { _ in completions.add(1) }
            let cancelled = call.cancel() == .ok
            #expect(try call.wait().status == (cancelled ? .cancelled : .ok))
        }
        bus.close()
        #expect(completions.count == 2000)
    }

    @Test func waitingForOneselfIsADeadlock() throws {
        let bus = try Bus()
        let call = Mutex<Call?>(nil)
        let status = Mutex<Status?>(nil)
        try bus.route("app://x") { _ in
            while call.withLock({ $0 == nil }) { Clock.sleep(nanoseconds: 100_000) }
            let own = call.withLock { $0 }
            do { _ = try own?.wait() } catch { status.withLock { $0 = (error as? CrosstieError)?.status } }
            return nil
        }
        let made = try bus.openAsync("app://x")
        call.withLock { $0 = made }
        _ = try made.wait()
        #expect(status.withLock { $0 } == .deadlock)
    }

    @Test func aFullPoolDoesNotWaitForItself() throws {
        let bus = try Bus(options: BusOptions(maximumWorkers: 1))
        try bus.route("app://down/:n<int>") { [unowned bus] request in
            let number = Int64(request["n"] ?? "") ?? 0
            guard number > 0 else { return "bottom" }
            return try bus.openAsync("app://down/\(number - 1)").wait().value
        }
        #expect(try bus.openAsync("app://down/5").wait().value == "bottom")
        #expect(try bus.openAsync("app://down/0").wait().value == "bottom")
    }

    @Test func aFullQueueIsBusy() throws {
        let bus = try Bus(options: BusOptions(maximumWorkers: 1, maximumQueued: 1))
        let gate = Flag()
        let running = Flag()
        try bus.route("app://x") { _ in
            running.set()
            gate.wait()
            return nil
        }
        let first = try bus.openAsync("app://x")
        running.wait()
        let second = try bus.openAsync("app://x")
        let error = #expect(throws: CrosstieError.self) { try bus.openAsync("app://x") }
        #expect(error?.status == .busy)
        #expect(second.cancel() == .ok)
        gate.set()
        #expect(try first.wait().status == .ok)
        #expect(try second.wait().status == .cancelled)
    }
}
