import Synchronization
import Testing

@testable import Crosstie

@Suite struct RequestOptionsTests {
    private final class Box: Sendable {
        let content: Int
        init(_ content: Int) { self.content = content }
    }

    @Test func everyKindTakesThem() throws {
        let bus = try Bus()
        let handler: Handler = { request in
            .string("\(request.origin) \(request.userInfo["from"]?.stringValue ?? "nobody")")
        }
        try bus.route("app://x", isPublic: true, handler: handler)
        try bus.addComponent("a", actions: [Action("x", handler: handler)])
        let options = RequestOptions(origin: .remote, userInfo: ["from": "Ada"], priority: .high)
        #expect(try bus.open("app://x", options: options).value == "remote Ada")
        #expect(try bus.call("a", "x", options: options).value == "remote Ada")
        #expect(try bus.openAsync("app://x", options: options).wait().value == "remote Ada")
        #expect(try bus.callAsync("a", "x", options: options).wait().value == "remote Ada")
        #expect(try bus.call("a", "x").value == "local nobody")
    }

    @Test func aCallInsideARemoteRequestIsRemote() throws {
        let bus = try Bus()
        try bus.addComponent("a", actions: [Action("origin") { request in .string("\(request.origin)") }])
        try bus.route("app://x", isPublic: true) { _ in try bus.call("a", "origin").value }
        #expect(try bus.open("app://x", origin: .remote).value == "remote")
        #expect(try bus.open("app://x").value == "local")
    }

    @Test func objectsCrossUntouched() throws {
        let (bus, box) = (try Bus(), Box(42))
        try bus.addComponent(
            "a",
            actions: [Action("same") { request in .bool(request.params.foreignValue?.object(as: Box.self) === box) }])
        #expect(try bus.call("a", "same", .foreign(try ForeignObject(box))).value == true)
    }

    @Test func theDeadlineIsKept() throws {
        let bus = try Bus()
        let kept = Mutex<[RetainedRequest]>([])
        try bus.addComponent(
            "a",
            actions: [
                Action("never") { request in
                    let retained = try request.retain()
                    kept.withLock { $0.append(retained) }
                    return nil
                }
            ])
        for asynchronous in [false, true] {
            let options = RequestOptions(timeout: .milliseconds(1))
            let error = #expect(throws: CrosstieError.self) {
                guard asynchronous else { return try bus.call("a", "never", options: options).value }
                return try bus.call("a", "never", options: options).value
            }
            #expect(error?.status == .timedOut && error?.response?.code == 10_002)
        }
    }

    @Test func otherValuesThanMapsAreRefused() throws {
        let bus = try Bus()
        try bus.addComponent("a", actions: [Action("x") { _ in 1 }])
        for (params, info) in [(Value.int(1), Value.null), (.null, "text")] {
            let error = #expect(throws: CrosstieError.self) {
                try bus.call("a", "x", params, options: RequestOptions(userInfo: info))
            }
            #expect(error?.status == .wrongType)
        }
        let error = #expect(throws: CrosstieError.self) { try bus.call(String(repeating: "a", count: 129), "x") }
        #expect(error?.status == .limitExceeded)
    }
}
