import Synchronization
import Testing

@testable import Crosstie

@Suite struct LoopTests {
    /// The callbacks that ran, in order.
    private final class Trail: Sendable {
        private let steps = Mutex<[Value]>([])
        func add(_ step: Value) { steps.withLock { $0.append(step) } }
        var all: [Value] { steps.withLock { $0 } }
    }

    private func bus() throws -> Bus {
        let bus = try Bus()
        try bus.route("app://x") { request in
            for step in 1...3 { try request.progress(.int(Int64(step))) }
            return "end"
        }
        return bus
    }

    @Test func aSynchronousCallerGetsProgress() throws {
        let trail = Trail()
        #expect(try bus().open("app://x", options: RequestOptions(progress: { trail.add($0) })).value == "end")
        #expect(trail.all == [1, 2, 3])
    }

    @Test func aLoopRunsWhatIsDueWhenItIsDispatched() throws {
        let (bus, loop, trail) = (try bus(), try Loop(), Trail())
        #expect(loop.descriptor >= 0 && loop.dispatch() == 0)
        let options = RequestOptions(loop: loop, progress: { trail.add($0) })
        let call = try bus.openAsync("app://x", options: options) { trail.add($0.value) }
        #expect(try call.wait().value == "end")
        #expect(trail.all.isEmpty)
        while trail.all.count < 4 { loop.dispatch() }
        #expect(trail.all == [1, 2, 3, "end"])
    }

    @Test func aLoopThatGoesAwayRunsWhatIsDue() throws {
        let (bus, trail) = (try bus(), Trail())
        var loop: Loop? = try Loop()
        try bus.openAsync("app://x", options: RequestOptions(loop: loop, progress: { trail.add($0) })) {
            trail.add($0.value)
        }
        loop = nil
        while trail.all.count < 4 { Clock.sleep(nanoseconds: 50_000) }
        #expect(trail.all == [1, 2, 3, "end"])
    }

    @Test func aBussOwnLoopEndsWithIt() throws {
        let (bus, trail) = (try bus(), Trail())
        let loop = try bus.loop()
        #expect(try bus.loop().descriptor == loop.descriptor)
        let call = try bus.openAsync("app://x", options: RequestOptions(loop: loop)) { trail.add($0.value) }
        _ = try call.wait()
        #expect(trail.all.isEmpty)
        bus.close()
        #expect(trail.all == ["end"] && loop.descriptor == -1)
    }
}
