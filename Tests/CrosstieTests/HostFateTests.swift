import Testing

@testable import CrosstieWormhole

@Suite struct HostFateTests {
    private let token = StepToken()
    private let other = StepToken()

    private func fate(newest: UInt64, _ stored: StepToken?) -> HostFate {
        HostFate(of: token, madeFor: 7, newest: newest, stored: stored)
    }

    @Test func aStepWithItsTokenInTheRecordWasDone() {
        for newest in 7...9 as ClosedRange<UInt64> { #expect(fate(newest: newest, token) == .done) }
    }

    @Test func withoutANewerVersionItMayBeUnderWay() {
        #expect(fate(newest: 7, other) == .open)
        #expect(fate(newest: 7, nil) == .open)
        #expect(fate(newest: 6, nil) == .open)
    }

    @Test func aNewerVersionWithAnotherTokenEndsIt() {
        #expect(fate(newest: 8, other) == .conflict)
        #expect(fate(newest: 100, other) == .conflict)
    }

    @Test func aMissingRecordSaysNothingAfterTwoCommits() {
        #expect(fate(newest: 8, nil) == .conflict)
        #expect(fate(newest: 9, nil) == .lost)
    }

    @Test func theOldestOfTooManyIsLost() {
        let steps = HostSteps()
        let messages = (0...SentTokens.capacity).map { (token: StepToken(), sequence: UInt64($0)) }
        for message in messages { steps.giveUp(StepToken(), at: 7, message) }
        steps.giveUp(StepToken(), at: 7, nil)
        #expect(steps.open.count == SentTokens.capacity)
        #expect(steps.sent.hasLost(messages[0].token) && !steps.sent.hasLost(messages[1].token))
        steps.resolve(version: 8, stored: steps.open[0].token)
        #expect(steps.open.isEmpty && steps.sent.sequence(messages[1].token) == 1)
        #expect(steps.sent.sequence(messages[2].token) == nil && !steps.sent.hasLost(messages[2].token))
    }
}
