import Testing

@testable import Crosstie

@Suite struct ExposureTests {
    private final class Request: Sendable {
        let exposure = Exposure()
    }

    @Test func responsesAreValidWhileOneIsOutOrLent() {
        let request = Request()
        expect(!request.exposure.hasResponse && !request.exposure.removeResponse())
        request.exposure.exposeResponse()
        expect(request.exposure.hasResponse && request.exposure.addResponse())
        expect(request.exposure.removeResponse() && request.exposure.hasResponse)
        expect(request.exposure.removeResponse() && !request.exposure.hasResponse)
        for loan in [Exposure.Loan.completion, .change] {
            request.exposure.lend(loan)
            expect(request.exposure.hasResponse && request.exposure.isLent(loan))
            expect(!request.exposure.removeResponse())
            request.exposure.takeBack(loan)
            expect(!request.exposure.hasResponse && !request.exposure.isLent(loan))
        }
    }

    @Test func theCallIsIndependentOfTheResponses() {
        let request = Request()
        request.exposure.start(withCall: true)
        expect(request.exposure.hasCall && !request.exposure.hasResponse && request.exposure.addResponse())
        request.exposure.removeCall()
        expect(!request.exposure.hasCall && request.exposure.hasResponse)
        request.exposure.start(withCall: false)
        expect(!request.exposure.hasCall && !request.exposure.hasResponse)
    }

    @Test func itIsItsModelInEverySchedule() {
        let schedules = Schedules.explore {
            let request = Request()
            request.exposure.start(withCall: true)
            var responses = 0
            let add = {
                expect(request.exposure.addResponse())
                responses += 1
                expect(request.exposure.hasResponse)
            }
            let remove = {
                expect(request.exposure.removeResponse() == (responses > 0))
                responses = max(0, responses - 1)
                expect(request.exposure.hasResponse == (responses > 0))
            }
            return (
                [
                    Schedules.actor(add, remove), Schedules.actor(add, remove, remove),
                    Schedules.actor { request.exposure.removeCall() },
                ], { expect(responses == 0 && !request.exposure.hasCall && !request.exposure.hasResponse) }
            )
        }
        expect(schedules == 60)
    }

    @Test func responsesAreCountedUpToALimit() {
        let request = Request()
        for _ in 0..<Exposure.maximumResponses { expect(request.exposure.addResponse()) }
        expect(!request.exposure.addResponse() && !request.exposure.hasCall)
    }

    @Test func threadsRemoveEachResponseOnce() {
        let (request, removed, wrong) = (Request(), Counter(), Counter())
        Crowd.run(4, rounds: 200) { _ in
            request.exposure.start(withCall: true)
            for _ in 0..<5 { _ = request.exposure.addResponse() }
        } _: { _, _ in
            if !request.exposure.addResponse() { wrong.add() }
            for _ in 0..<3 where request.exposure.removeResponse() { removed.add() }
        } check: { round in
            if removed.count != (round + 1) * 9 || request.exposure.hasResponse || !request.exposure.hasCall {
                wrong.add()
            }
        }
        expect(removed.count == 1_800 && wrong.count == 0)
    }
}
