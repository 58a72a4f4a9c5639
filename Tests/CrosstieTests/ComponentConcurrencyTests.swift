import Testing

@testable import Crosstie

/// Components that are added, replaced and removed, and handle events, on several threads at once.
@Suite struct ComponentConcurrencyTests {
    /// The counts of all components of one round.
    private final class Tally: Sendable {
        let made = Counter()
        let created = Counter()
        let destroyed = Counter()
        let ended = Counter()
        let ranAfterItsEnd = Flag()
    }

    private final class Life: Component {
        static var actions: [Action] {
            [
                Action("use", Life.use), Action("changed", isEvent: true, Life.use),
                Action(Event.created, isEvent: true, Life.receiveCreated),
                Action(Event.destroyed, isEvent: true, Life.receiveDestroyed),
            ]
        }
        private let tally: Tally
        private let isOver = Flag()

        init(_ tally: Tally) {
            self.tally = tally
            tally.made.add()
        }

        deinit { tally.ended.add() }

        func use(_ request: Request) -> Value? { true }

        func receiveCreated(_ request: Request) -> Value? {
            tally.created.add()
            return nil
        }

        func receiveDestroyed(_ request: Request) -> Value? {
            if isOver.isSet { tally.ranAfterItsEnd.set() }
            isOver.set()
            tally.destroyed.add()
            return nil
        }
    }

    @Test(arguments: [false, true]) func eachIsEndedOnce(isLazy: Bool) throws {
        let (tally, done) = (Tally(), Counter())
        let bus = try Bus()
        for thread in 0..<4 {
            inThread {
                for round in 0..<300 {
                    let name = "c\((round + thread) % 3)"
                    switch (round &* 7 &+ thread) % 5 {
                    case 0: _ = try? bus.removeComponent(named: name)
                    case 1: _ = try? bus.broadcast("changed")
                    case 2: _ = try? bus.call(name, "use")
                    default:
                        let options = ComponentOptions(isReplacing: true)
                        if isLazy {
                            _ = try? bus.addComponent(lazily: Life.self, name: name, options: options) { Life(tally) }
                        } else {
                            _ = try? bus.addComponent(Life(tally), name: name, options: options)
                        }
                    }
                }
                done.add()
            }
        }
        while done.count < 4 { Clock.sleep(nanoseconds: 1_000_000) }
        bus.close()
        #expect(tally.made.count == tally.ended.count && tally.made.count > 0)
        #expect(tally.destroyed.count <= tally.created.count && !tally.ranAfterItsEnd.isSet)
    }

    @Test func aBusClosesWhileOthersAddAndRemove() throws {
        for _ in 0..<30 {
            let (tally, done) = (Tally(), Counter())
            let bus = try Bus()
            for thread in 0..<3 {
                inThread {
                    for round in 0..<20 {
                        let added = try? bus.addComponent(Life(tally), name: "c\(round)-\(thread)")
                        if round % 2 == 0 { added?.remove() }
                    }
                    done.add()
                }
            }
            Clock.sleep(nanoseconds: 300_000)
            bus.close()
            while done.count < 3 { Clock.sleep(nanoseconds: 100_000) }
            #expect(tally.made.count == 60 && tally.ended.count == 60)
        }
    }
}
