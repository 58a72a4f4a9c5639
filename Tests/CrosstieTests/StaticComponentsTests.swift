internal import Glibc
import Synchronization
import Testing

@testable import Crosstie

@Suite struct StaticComponentsTests {
    private final class Counter: Component {
        static var actions: [Action] { [Action("count", Counter.count)] }
        private let calls = Mutex<Int64>(0)

        func count(_ request: Request) -> Value? {
            .int(
                calls.withLock {
                    $0 += 1; return $0
                })
        }
    }

    @Test func everyBusThatAsksHasThemWithAnObjectOfItsOwn() throws {
        let before = try Bus(options: BusOptions(hasStaticComponents: true))
        let without = try Bus()
        try StaticComponents.declare(Counter.self, name: "static-counter") { Counter() }
        let after = try Bus(options: BusOptions(hasStaticComponents: true))
        #expect(try before.call("static-counter", "count").value == 1)
        #expect(try before.call("static-counter", "count").value == 2)
        #expect(try after.call("static-counter", "count").value == 1)
        #expect((try? without.call("static-counter", "count")) == nil)
        #expect(try after.components().first { $0.name == "static-counter" }?.isStatic == true)
    }

    @Test func aSharedBusHasThemAndTheirFactoriesMayAskForIt() throws {
        try StaticComponents.declare(Counter.self, name: "static-shared") {
            _ = try Bus.shared("static-shared")
            return Counter()
        }
        let bus = try Bus.shared("static-shared")
        #expect(try bus.call("static-shared", "count").value == 1)
    }

    /// A thread that gets it while another is still making it waits for its components.
    @Test func aSharedBusIsCompleteForEveryThread() throws {
        let (isMaking, isAsked, maker) = (Flag(), Flag(), Maker())
        try StaticComponents.declare(Counter.self, name: "static-late") {
            if maker.isThisThread {
                isMaking.set()
                isAsked.wait()
                usleep(20_000)
            }
            return Counter()
        }
        inThread {
            maker.beThisThread()
            maker.keep(try? Bus.shared("static-late"))
        }
        isMaking.wait()
        isAsked.set()
        #expect(try Bus.shared("static-late").call("static-late", "count").value == 1)
    }

    /// The thread that makes a bus, and the bus.
    private final class Maker: Sendable {
        private let thread = Atomic<UInt>(0)
        private let bus = Mutex<Bus?>(nil)

        var isThisThread: Bool { thread.load(ordering: .relaxed) == pthread_self() }
        func beThisThread() { thread.store(pthread_self(), ordering: .relaxed) }
        func keep(_ made: Bus?) { bus.withLock { $0 = made } }
    }

    @Test func aNameIsDeclaredOnce() throws {
        try StaticComponents.declare(Counter.self, name: "static-once") { Counter() }
        let error = #expect(throws: CrosstieError.self) {
            try StaticComponents.declare(Counter.self, name: "static-once") { Counter() }
        }
        #expect(error?.status == .conflict)
        let malformed = #expect(throws: CrosstieError.self) {
            try StaticComponents.declare(Counter.self, name: "static once") { Counter() }
        }
        #expect(malformed?.status == .invalidIdentifier)
    }

    @Test func aBusThatRefusesOneSaysSoInItsLog() throws {
        let bus = try Bus(options: BusOptions(hasStaticComponents: true))
        let lines = Mutex<[String]>([])
        bus.setLog { _, line in lines.withLock { $0.append(line) } }
        try bus.addComponent("static-taken", actions: [Action("x") { _ in 1 }])
        try StaticComponents.declare(Counter.self, name: "static-taken") { Counter() }
        let line = lines.withLock { $0.first { $0.contains("static-taken") } }
        #expect(line?.contains("refused") == true)
        #expect(try bus.call("static-taken", "x").value == 1)
    }
}
