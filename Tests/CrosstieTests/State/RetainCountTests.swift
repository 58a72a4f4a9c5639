import Testing

@testable import Crosstie

@Suite struct RetainCountTests {
    /// A request, with its plain model beside it.
    private final class Request: Sendable {
        let count = RetainCount()
    }

    private final class Model {
        var retains = 0
        var isRunning = false
        var wasRetained = false
        /// The number of steps that took away the last hold.
        var lasts = 0

        var isHeld: Bool { isRunning || retains > 0 }

        func retain() -> RetainCount.Retain {
            guard isHeld else { return .notHeld }
            retains += 1
            wasRetained = true
            return retains == 1 ? .first : .again
        }

        func release() -> RetainCount.Release {
            guard retains > 0 else { return .notRetained }
            retains -= 1
            return isHeld ? .held : .last
        }
    }

    private func expectSame(_ request: Request, _ model: Model) {
        expect(request.count.isHeld == model.isHeld && request.count.isRetained == (model.retains > 0))
        expect(request.count.wasRetainedSinceStart == model.wasRetained)
        expect(request.count.isRunningUnretained == (model.isRunning && !model.wasRetained))
    }

    private func start(_ request: Request, _ model: Model) -> () -> Void {
        {
            request.count.startRunning()
            (model.isRunning, model.wasRetained) = (true, false)
            self.expectSame(request, model)
        }
    }

    private func stop(_ request: Request, _ model: Model) -> () -> Void {
        {
            model.isRunning = false
            if request.count.stopRunningUnretained() {
                expect(model.retains == 0 && !model.wasRetained)
                model.lasts += 1
            } else {
                let isRetained = request.count.stopRunning()
                expect(isRetained == (model.retains > 0))
                if !isRetained { model.lasts += 1 }
            }
            self.expectSame(request, model)
        }
    }

    private func retain(_ request: Request, _ model: Model) -> () -> Void {
        {
            expect(request.count.retain() == model.retain())
            self.expectSame(request, model)
        }
    }

    private func release(_ request: Request, _ model: Model) -> () -> Void {
        {
            let release = request.count.release()
            expect(release == model.release())
            if release == .last { model.lasts += 1 }
            self.expectSame(request, model)
        }
    }

    @Test func itIsItsModelInEverySchedule() {
        let schedules = Schedules.explore {
            let (request, model) = (Request(), Model())
            let (start, stop) = (start(request, model), stop(request, model))
            let (retain, release) = (retain(request, model), release(request, model))
            return (
                [
                    Schedules.actor(start, stop, start, stop), Schedules.actor(retain, release),
                    Schedules.actor(retain, retain, release, release),
                ], {}
            )
        }
        expect(schedules == 3_150)
    }

    @Test func oneStepAloneTakesAwayTheLastHold() {
        let schedules = Schedules.explore {
            let (request, model) = (Request(), Model())
            start(request, model)()
            let (retain, release) = (retain(request, model), release(request, model))
            return (
                [
                    Schedules.actor(stop(request, model)), Schedules.actor(retain, release),
                    Schedules.actor(retain, release),
                ], { expect(model.lasts == 1 && !model.isHeld && !request.count.isHeld) }
            )
        }
        expect(schedules == 30)
    }

    @Test func aRequestThatResumesIsNotHeldByItsRetainAlone() {
        let request = Request()
        request.count.startRunning()
        expect(request.count.retain() == .first && request.count.stopRunning())
        request.count.resumeRunning()
        expect(request.count.release() == .held)
        expect(!request.count.stopRunning() && !request.count.isHeld)
    }

    @Test func retainsAreCountedUpToALimit() {
        let request = Request()
        request.count.startRunning()
        for _ in 0..<RetainCount.maximum { _ = request.count.retain() }
        expect(request.count.retain() == .tooMany)
        expect(request.count.release() == .held && request.count.retain() == .again)
        expect(request.count.stopRunning())
        for _ in 1..<RetainCount.maximum { _ = request.count.release() }
        expect(request.count.release() == .last && request.count.release() == .notRetained)
    }

    /// A step that read and wrote the word apart would lose retains and releases of other threads.
    @Test func noRetainOfThreadsIsLost() {
        let (request, wrong) = (Request(), Counter())
        Crowd.run(4, rounds: 20) { _ in
            request.count.reset()
            request.count.startRunning()
        } _: { _, _ in
            for _ in 0..<10_000 {
                let retain = request.count.retain()
                if retain == .notHeld || retain == .tooMany || request.count.release() != .held { wrong.add() }
            }
        } check: { _ in
            if request.count.isRetained || request.count.stopRunning() { wrong.add() }
        }
        expect(wrong.count == 0)
    }

    @Test func ofThreadsThatReleaseAndStopOneIsTheLast() {
        let (request, lasts, wrong) = (Request(), Counter(), Counter())
        Crowd.run(4, rounds: 200) { _ in
            request.count.reset()
            request.count.startRunning()
        } _: { _, thread in
            if thread == 0 {
                if !request.count.stopRunning() { lasts.add() }
            } else if request.count.retain() != .notHeld, request.count.release() == .last {
                lasts.add()
            }
        } check: { round in
            if lasts.count != round + 1 || request.count.isHeld { wrong.add() }
        }
        expect(lasts.count == 200 && wrong.count == 0)
    }
}
