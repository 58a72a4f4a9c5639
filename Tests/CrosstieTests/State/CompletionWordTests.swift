internal import Glibc
import Synchronization
import Testing

@testable import Crosstie

@Suite struct CompletionWordTests {
    private final class Request: Sendable {
        let word = CompletionWord()
    }

    private final class Model {
        var isClaimed = false
        var hasEnded = false
        var isObserved = false
        /// The number of claims that were won.
        var wins = 0
        /// Whether the claimant saw that there are callbacks.
        var claimantSawCallbacks = false
        /// Whether a thread was allowed to add a callback.
        var mayHaveCallbacks = false
    }

    private func expectSame(_ request: Request, _ model: Model) {
        expect(request.word.isClaimed == model.isClaimed && request.word.hasEnded == model.hasEnded)
        expect(request.word.isClaimedInOrder == model.isClaimed)
    }

    /// A thread that ends the request.
    private func ender(_ request: Request, _ model: Model) -> () -> Schedules.Progress {
        var isMine = false
        return {
            defer { self.expectSame(request, model) }
            if isMine {
                request.word.publish(isCancelled: true)
                model.hasEnded = true
                expect(request.word.isMarkedCancelled)
                return .done
            }
            let claim = request.word.claim()
            expect(claim.isWon == !model.isClaimed)
            guard claim.isWon else { return .done }
            expect(claim.isObserved == model.isObserved)
            isMine = true
            (model.isClaimed, model.wins, model.claimantSawCallbacks) = (true, model.wins + 1, claim.isObserved)
            return .more
        }
    }

    /// A thread that adds a callback.
    private func observer(
        _ request: Request, _ model: Model, before limit: CompletionWord.ObservationLimit
    ) -> () -> Schedules.Progress {
        {
            let isLate = limit == .claimed ? model.isClaimed : model.hasEnded
            let isObserved = request.word.tryToObserve(before: limit)
            self.expectSame(request, model)
            guard let isObserved else {
                expect(!isLate && model.isClaimed && !model.isObserved)
                return .blocked
            }
            expect(isObserved == !isLate)
            if isObserved { (model.isObserved, model.mayHaveCallbacks) = (true, true) }
            return .done
        }
    }

    @Test func oneClaimIsWonAndSeesEveryCallback() {
        let schedules = Schedules.explore {
            let (request, model) = (Request(), Model())
            let waiter = Schedules.actor {
                expect((request.word.announceWaiter() == nil) == model.hasEnded)
            }
            return (
                [
                    ender(request, model), ender(request, model),
                    observer(request, model, before: .claimed), observer(request, model, before: .ended), waiter,
                ],
                {
                    expect(model.wins == 1 && request.word.hasEnded)
                    expect(model.claimantSawCallbacks == model.mayHaveCallbacks)
                }
            )
        }
        expect(schedules > 100)
    }

    @Test func aWordThatAnotherThreadHasTouchedIsNotCompletedAlone() {
        let touches: [@Sendable (borrowing CompletionWord) -> Void] = [
            { _ = $0.claim() }, { _ = $0.tryToObserve(before: .ended) }, { _ = $0.announceWaiter() },
        ]
        for touch in touches {
            let request = Request()
            expect(request.word.isUntouched)
            touch(request.word)
            expect(!request.word.isUntouched && !request.word.completeAlone() && !request.word.hasEnded)
        }
        let request = Request()
        expect(request.word.completeAlone() && request.word.hasEnded && !request.word.completeAlone())
        request.word.reset()
        expect(request.word.isUntouched)
    }

    @Test func aDeadlineThatHasPassedEndsTheWait() {
        let request = Request()
        expect(request.word.wait(until: Clock.now()) == .late)
        _ = request.word.claim()
        expect(request.word.wait(until: Clock.now() &+ 1_000_000) == .late)
        request.word.publishAlone()
        expect(request.word.wait(until: 0) == .over)
    }

    /// Waits for the publisher. A wait that nobody ends would find the response, too, but only after its deadline.
    private func isWoken(_ request: Request) -> Bool {
        let deadline = Clock.deadline(milliseconds: 60_000)
        return request.word.wait(until: deadline) == .over && Clock.now() < deadline
    }

    /// The publisher pauses after the waiter has announced itself, so that it most likely sleeps: nothing but the
    /// publisher wakes it then.
    @Test func aWaiterThatSleepsIsWoken() {
        let (request, wrong) = (Request(), Counter())
        Crowd.run(2, rounds: 20) { _ in
            request.word.reset()
        } _: { _, thread in
            guard wrong.count == 0 else { return }
            if thread == 0 {
                if !self.isWoken(request) { wrong.add() }
            } else {
                while request.word.isUntouched { sched_yield() }
                usleep(1000)
                expect(request.word.claim().isWon)
                request.word.publish()
            }
        } check: { _ in
        }
        expect(wrong.count == 0)
    }

    /// One of the threads writes the response; the others sleep until they may read it.
    @Test func ofThreadsThatClaimOneWinsAndWakesTheOthers() {
        let (request, wins, wrong) = (Request(), Counter(), Counter())
        nonisolated(unsafe) let response = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        response.initialize(to: -1)
        Crowd.run(4, rounds: 200) { _ in
            request.word.reset()
        } _: { round, _ in
            if request.word.claim().isWon {
                wins.add()
                response.pointee = round
                request.word.publish()
            } else if !self.isWoken(request) {
                wrong.add()
            }
            if response.pointee != round { wrong.add() }
        } check: { round in
            if wins.count != round + 1 { wrong.add() }
        }
        response.deallocate()
        expect(wins.count == 200 && wrong.count == 0)
    }
}
