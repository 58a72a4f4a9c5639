import Testing

@testable import Crosstie

@Suite struct GateTests {
    /// A request that an interceptor has retained, and is about to return from.
    private final class Request: Sendable {
        let gate = Gate()
        let count = RetainCount()
        let word = CompletionWord()

        init() {
            gate.startInterceptor()
            count.startRunning()
        }

        /// Returns whether this ended it.
        func end() -> Bool {
            guard word.claim().isWon else { return false }
            word.publish()
            return true
        }
    }

    private final class Model {
        /// The number of times that the request went on.
        var passes = 0
        /// The number of threads that were allowed to let it go on, and of those that were refused.
        var (grants, refusals) = (0, 0)
        var endings = 0
    }

    private typealias Step = () -> Schedules.Progress

    /// The interceptor's thread, after the interceptor has returned.
    private func interceptor(_ request: Request, _ model: Model) -> Step {
        var isRetained: Bool?
        var isKept = false
        return {
            if isKept {
                if isRetained == false, request.end() { model.endings += 1 }
                return .done
            }
            if isRetained != nil {
                request.gate.keep()
                isKept = true
                return .more
            }
            switch request.gate.tryToLeave() {
            case .granted:
                model.passes += 1
                return .done
            case .leaving:
                isRetained = request.count.stopRunning()
                return .more
            case nil: return .blocked
            }
        }
    }

    /// A thread that lets the request go on, and releases it then.
    private func proceeder(_ request: Request, _ model: Model) -> Step {
        var before: GateState?
        var (isDecided, isRunning) = (false, false)
        return {
            if isDecided {
                if request.count.release() == .last, request.end() { model.endings += 1 }
                return .done
            }
            guard let seen = before else {
                switch request.gate.tryToClaim(unless: { request.word.isClaimed }) {
                case .won(let state): (before, model.grants) = (state, model.grants + 1)
                case .tooLate: (isDecided, model.refusals) = (true, model.refusals + 1)
                case .notIntercepted: Issue.record("an interceptor has the request")
                case nil: return .blocked
                }
                return .more
            }
            if seen == .running {
                request.gate.grant()
                isDecided = true
            } else if !isRunning {
                request.count.resumeRunning()
                isRunning = true
            } else {
                request.gate.pass()
                (isDecided, model.passes) = (true, model.passes + 1)
            }
            return .more
        }
    }

    /// A request that goes on never ceases to run: no release ends it.
    @Test func itOpensOnceHoweverManyLetTheRequestGoOn() {
        let schedules = Schedules.explore {
            let (request, model) = (Request(), Model())
            for _ in 0..<2 { _ = request.count.retain() }
            return (
                [interceptor(request, model), proceeder(request, model), proceeder(request, model)],
                {
                    expect(model.passes == 1 && model.grants == 1 && model.refusals == 1 && model.endings == 0)
                    expect(request.gate.isPassable && !request.count.isRetained && request.count.isHeld)
                }
            )
        }
        expect(schedules > 10)
    }

    @Test func aRequestThatIsReleasedAndNeverGoesOnEndsOnce() {
        let schedules = Schedules.explore {
            let (request, model) = (Request(), Model())
            _ = request.count.retain()
            let releaser = Schedules.actor {
                if request.count.release() == .last, request.end() { model.endings += 1 }
            }
            return (
                [interceptor(request, model), releaser],
                { expect(model.passes == 0 && model.endings == 1 && !request.count.isHeld) }
            )
        }
        expect(schedules == 4)
    }

    @Test func aClaimThatIsGivenBackChangesNothing() {
        let request = Request()
        expect(request.gate.tryToClaim { false } == .won(.running))
        expect(request.gate.tryToClaim { false } == nil && request.gate.tryToLeave() == nil)
        expect(!request.gate.isPassable)
        request.gate.restore(.running)
        expect(request.gate.tryToClaim { true } == .tooLate)
        expect(request.gate.tryToLeave() == .leaving && request.gate.tryToClaim { false } == nil)
        request.gate.keep()
        expect(request.gate.claim { false } == .won(.kept))
        request.gate.pass()
        expect(request.gate.claim { false } == .tooLate && request.gate.isPassable)
        request.gate.reset()
        expect(request.gate.claim { false } == .notIntercepted && request.gate.isPassable)
        request.gate.startInterceptor()
        expect(!request.gate.passIfGranted() && request.gate.isPassable)
        request.gate.startInterceptor()
        request.gate.grant()
        expect(request.gate.passIfGranted())
    }

    @Test func ofThreadsThatLetTheRequestGoOnOneIsAllowed() {
        let (request, grants, passes, wrong) = (Request(), Counter(), Counter(), Counter())
        Crowd.run(4, rounds: 200) { _ in
            request.gate.startInterceptor()
        } _: { _, thread in
            guard thread > 0 else {
                switch request.gate.leave() {
                case .granted: passes.add()
                case .leaving: request.gate.keep()
                }
                return
            }
            switch request.gate.claim(unless: { false }) {
            case .won(.running):
                grants.add()
                request.gate.grant()
            case .won:
                grants.add()
                request.gate.pass()
                passes.add()
            case .tooLate: break
            case .notIntercepted: wrong.add()
            }
        } check: { round in
            if grants.count != round + 1 || passes.count != round + 1 { wrong.add() }
        }
        expect(grants.count == 200 && passes.count == 200 && wrong.count == 0)
    }
}
