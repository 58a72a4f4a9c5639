import Testing

@testable import Crosstie

@Test func errorsAreNegative() {
    #expect(Status.ok.isSuccess && Status.pending.isSuccess)
    #expect(!Status.system.isSuccess)
}
