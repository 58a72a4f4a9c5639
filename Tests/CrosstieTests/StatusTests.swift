import Testing

@testable import Crosstie

@Suite struct StatusTests {
    @Test func errorsAreNegative() {
        #expect(Status.ok.isSuccess && Status.pending.isSuccess)
        #expect(!Status.systemFailure.isSuccess && !Status.invalidArgument.isSuccess)
    }

    @Test func textsComeFromTheList() {
        #expect(Status.timedOut.name == "CTIE_E_TIMEOUT")
        #expect(Status.timedOut.message == "deadline exceeded")
        #expect("\(Status.pending)" == "CTIE_PENDING")
        #expect(Status(rawValue: -9999).name == "CTIE_UNLISTED")
    }

    @Test(
        arguments: [
            (Status.ok, 1), (.timedOut, 10002), (.alreadyDone, 10003), (.cancelled, 10004), (.invalidArgument, 40001),
            (.systemFailure, 40035),
            (.pending, 39999), (Status(rawValue: 2), -1), (Status(rawValue: .min), -1), (Status(rawValue: .max), -1),
        ] as [(Status, Int32)])
    func codes(status: Status, code: Int32) {
        #expect(status.code == code)
    }
}
