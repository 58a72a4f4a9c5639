import Testing

@testable import Crosstie

@Suite struct RequestKindTests {
    /// A kind's bit must have room in the word of a bus's interceptors, beside the flags that begin after the kinds.
    @Test func allKindsHaveRoomAmongTheInterceptors() {
        #expect(RequestKind.allCases.count <= RequestKind.maximumCount)
        #expect(RequestKind.allBits < Interceptors.measured)
    }

    /// Tables of kinds are indexed by their numbers.
    @Test func numbersHaveNoGaps() {
        #expect(RequestKind.allCases.map(\.rawValue) == Array(0..<Int32(RequestKind.allCases.count)))
    }

    @Test func namesAreDistinct() {
        #expect(Set(RequestKind.allCases.map(\.name)).count == RequestKind.allCases.count)
    }

    @Test func namesThatAreTooLongAreReportedByTheirRoles() {
        let roles = ["URL", "component", "component", "target", "endpoint", "platform", "platform", "activity"]
        let name = String(repeating: "n", count: 2000)
        for (kind, role) in zip(RequestKind.allCases, roles) {
            let error = Callee.withBytes(name, "") { target, action in
                Callee(target, action, .null).problem(.limitExceeded, of: kind)
            }
            #expect(error.message.hasPrefix("the \(role) 'nnn"))
            #expect(
                error.message.hasSuffix(kind == .perform ? "the limit of 1024" : "the limit of \(Name.maximumSize)"))
        }
    }

    @Test(arguments: [(RequestKind.call, "action"), (.event, "event"), (.perform, "selector")])
    func actionsThatAreTooLongAreReportedByTheirRoles(_ kind: RequestKind, _ role: String) {
        let error = Callee.withBytes("target", String(repeating: "n", count: 200)) { target, action in
            Callee(target, action, .null).problem(.limitExceeded, of: kind)
        }
        #expect(error.message.hasPrefix("the \(role) 'nnn"))
    }
}
