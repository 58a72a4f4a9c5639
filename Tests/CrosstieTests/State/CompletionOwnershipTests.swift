import Testing

@testable import Crosstie

/// The completion runs once, whichever of the threads that can see to it comes last. The steps are those of
/// `RequestBlock+completion` and `RequestBlock+progress`.
@Suite struct CompletionOwnershipTests {
    private final class Request: Sendable {
        let word = CompletionWord()
        let ownership = CompletionOwnership()

        init() { ownership.start() }
    }

    private final class Model {
        var completions = 0
        /// Whether a completion ran while progress was being delivered.
        var overtook = false
    }

    private typealias Step = () -> Schedules.Progress

    /// A thread whose steps change with what it finds.
    private final class Actor {
        var next: Step = { .done }

        func run() -> Schedules.Progress { next() }

        func go(_ step: @escaping Step) -> Schedules.Progress {
            next = step
            return .more
        }
    }

    /// Runs the completion, which the actor has claimed, unless progress puts it off.
    private func complete(_ request: Request, _ model: Model, _ actor: Actor) -> Schedules.Progress {
        actor.go {
            guard request.ownership.hasProgressInFlight else {
                model.completions += 1
                return .done
            }
            return actor.go {
                request.ownership.giveUpClaim()
                return actor.go {
                    if request.ownership.hasProgressInFlight { return .done }
                    return actor.go {
                        request.ownership.claim() ? self.complete(request, model, actor) : .done
                    }
                }
            }
        }
    }

    private func claim(_ request: Request, _ model: Model, _ actor: Actor) -> Schedules.Progress {
        actor.go {
            if request.ownership.hasProgressInFlight { return .done }
            return actor.go { request.ownership.claim() ? self.complete(request, model, actor) : .done }
        }
    }

    /// Completes the request unless it has an owner.
    private func completeIfUnowned(_ request: Request, _ model: Model, _ actor: Actor) -> Schedules.Progress {
        actor.go { request.ownership.hasOwner ? .done : self.claim(request, model, actor) }
    }

    private func worker(_ request: Request, _ model: Model) -> Step {
        let actor = Actor()
        actor.next = {
            guard request.ownership.removeOwner() else { return .done }
            return actor.go { request.word.hasEnded ? self.claim(request, model, actor) : .done }
        }
        return actor.run
    }

    private func ender(_ request: Request, _ model: Model) -> Step {
        let actor = Actor()
        actor.next = {
            guard request.word.claim().isWon else { return .done }
            return actor.go {
                request.word.publish()
                return self.completeIfUnowned(request, model, actor)
            }
        }
        return actor.run
    }

    private func reporter(_ request: Request, _ model: Model) -> Step {
        let actor = Actor()
        actor.next = {
            request.ownership.startProgress()
            return actor.go {
                let isOpen = !request.word.isClaimedInOrder
                let before = model.completions
                return actor.go {
                    if isOpen, model.completions != before { model.overtook = true }
                    guard request.ownership.endProgress() else { return .done }
                    return actor.go {
                        request.word.hasEnded ? self.completeIfUnowned(request, model, actor) : .done
                    }
                }
            }
        }
        return actor.run
    }

    @Test func theLastOwnerOrTheEnderCompletes() {
        let schedules = Schedules.explore {
            let (request, model) = (Request(), Model())
            request.ownership.addOwner()
            return (
                [worker(request, model), worker(request, model), ender(request, model)],
                { expect(model.completions == 1 && request.ownership.isClaimed) }
            )
        }
        expect(schedules > 10)
    }

    @Test func theCompletionWaitsForProgress() {
        let schedules = Schedules.explore(preemptions: 3) {
            let (request, model) = (Request(), Model())
            return (
                [worker(request, model), ender(request, model), reporter(request, model)],
                { expect(model.completions == 1 && !model.overtook) }
            )
        }
        expect(schedules > 500)
    }

    @Test func ofThreadsThatClaimOneWins() {
        let (request, wins, lasts, wrong) = (Request(), Counter(), Counter(), Counter())
        Crowd.run(4, rounds: 200) { _ in
            request.ownership.start()
            for _ in 1..<4 { request.ownership.addOwner() }
        } _: { _, _ in
            if request.ownership.removeOwner() { lasts.add() }
            if request.ownership.claim() { wins.add() }
        } check: { round in
            if wins.count != round + 1 || lasts.count != round + 1 || request.ownership.hasOwner { wrong.add() }
        }
        expect(wins.count == 200 && lasts.count == 200 && wrong.count == 0)
    }
}
