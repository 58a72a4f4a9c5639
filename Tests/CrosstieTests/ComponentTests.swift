import Synchronization
import Testing

@testable import Crosstie

private final class Home: Component {
    static var actions: [Action] {
        [
            Action("greet", doc: "says hello", Home.greet),
            Action("whoami") { request in .string("\(request.target)/\(request.action) by \(request.kind)") },
        ]
    }
    let visitors = Mutex(0)

    func greet(_ request: Request) -> Value? {
        visitors.withLock { $0 += 1 }
        return .string("hello \(request.params["name"]?.stringValue ?? "you")")
    }
}

private final class Other: Component {
    static var name: String { "other" }
    static var actions: [Action] { [Action("greet", Home.greet)] }
}

/// Counts what goes away.
private final class Held: Sendable {
    let ended: @Sendable () -> Void
    init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
    deinit { ended() }
}

@Suite struct ComponentTests {
    @Test func anObjectsMethodsAndClosuresAreCalledByName() throws {
        let (bus, home) = (try Bus(), Home())
        try bus.addComponent(home)
        #expect(try bus.call("Home", "greet", ["name": "Ada"]).value == "hello Ada")
        #expect(try bus.call("Home", "greet").value == "hello you")
        #expect(try bus.call("Home", "whoami").value == "Home/whoami by call")
        #expect(home.visitors.withLock { $0 } == 2)
        #expect(try bus.callAsync("Home", "greet").wait().value == "hello you")
    }

    @Test func missingObjectsAreNamed() throws {
        let bus = try Bus()
        try bus.addComponent(Home())
        for (component, action, status, code, message) in [
            ("nobody", "x", Status.noComponent, Int32(20_001), "there is no component 'nobody'"),
            ("Home", "x", .noAction, 30_002, "'Home' has no action 'x'"),
            ("", "x", .noName, 20_002, "empty name: 'x' of ''"),
        ] {
            let error = #expect(throws: CrosstieError.self) { try bus.call(component, action) }
            #expect(error?.status == status && error?.response?.code == code && error?.message == message)
        }
    }

    @Test func namesAreTakenOnceUnlessOneReplacesTheOther() throws {
        let bus = try Bus()
        let removed = Mutex(0)
        let held = Held { removed.withLock { $0 += 1 } }
        let before = try bus.addComponent(
            "a",
            actions: [
                Action("old") { _ in "old" },
                Action("same") { [held] _ in
                    _ = held; return "old"
                },
            ])
        let error = #expect(throws: CrosstieError.self) { try bus.addComponent("a", actions: [Action("x") { _ in 1 }]) }
        #expect(error?.status == .conflict)
        try bus.addComponent(
            "a", actions: [Action("same") { _ in "new" }], options: ComponentOptions(isReplacing: true))
        #expect(try bus.call("a", "same").value == "new")
        #expect((try? bus.call("a", "old")) == nil)
        #expect(before.remove() == .invalidHandle)
        #expect(try bus.components().map(\.name) == ["a"])
    }

    @Test func refusalsSayWhy() throws {
        let bus = try Bus()
        let action = Action("x") { _ in 1 }
        for (name, actions, status) in [
            ("", [action], Status.noName), ("1", [action], .invalidIdentifier), ("a", [], .notAComponent),
            ("a", [action, action], .conflict), ("a", [Action("a b") { _ in 1 }], .invalidIdentifier),
            ("a", [Action("x", doc: String(repeating: "d", count: 4097)) { _ in 1 }], .limitExceeded),
        ] {
            let error = #expect(throws: CrosstieError.self) { try bus.addComponent(name, actions: actions) }
            #expect(error?.status == status)
        }
        let error = #expect(throws: CrosstieError.self) { try bus.addComponent(Other()) }
        #expect(error?.status == .notAComponent)
    }

    @Test func oneIsRemovedByItsNameItsObjectItsTypeOrItsRegistration() throws {
        let (bus, home) = (try Bus(), Home())
        let registered = try bus.addComponent(home, name: "a")
        try bus.addComponent(home, name: "b")
        try bus.addComponent(Home(), name: "c")
        try bus.addComponent("d", actions: [Action("x") { _ in 1 }])
        #expect(registered.remove() == .ok && registered.remove() == .invalidHandle)
        #expect(try bus.components().map(\.name) == ["b", "c", "d"])
        #expect(try bus.removeComponents(of: home) == .ok)
        #expect(try bus.components().map(\.name) == ["c", "d"])
        #expect(try bus.removeComponents(of: Home.self) == .ok)
        #expect(try bus.removeComponent(named: "d") == .ok)
        #expect(try bus.components().isEmpty)
        for remove in [
            { try bus.removeComponents(of: home) }, { try bus.removeComponents(of: Home.self) },
            { try bus.removeComponent(named: "d") },
        ] as [() throws -> Status] {
            let error = #expect(throws: CrosstieError.self) { _ = try remove() }
            #expect(error?.status == .noComponent)
        }
    }

    @Test func removalReleasesTheObject() throws {
        let bus = try Bus()
        let removed = Mutex(0)
        func add() throws {
            let held = Held { removed.withLock { $0 += 1 } }
            try bus.addComponent(
                "a",
                actions: [
                    Action("x") { [held] _ in
                        _ = held; return 1
                    }
                ],
                options: ComponentOptions(interceptors: [
                    { [held] request in
                        _ = held; try request.proceed(); return nil
                    }
                ]))
        }
        try add()
        #expect(try bus.call("a", "x").value == 1 && removed.withLock { $0 } == 0)
        try bus.removeComponent(named: "a")
        #expect(removed.withLock { $0 } == 1)
        try add()
        #expect(throws: CrosstieError.self) { try add() }
        #expect(removed.withLock { $0 } == 2)
        bus.close()
        #expect(removed.withLock { $0 } == 3)
    }

    @Test func insideItsActionItIsRemovedLater() throws {
        let bus = try Bus()
        let steps = Mutex<[String]>([])
        func add() throws {
            let held = Held { steps.withLock { $0.append("gone") } }
            try bus.addComponent(
                "a",
                actions: [
                    Action("x") { [held] _ in
                        _ = held
                        let status = try bus.removeComponent(named: "a")
                        #expect(status == .pending)
                        #expect((try? bus.call("a", "x"))?.value == nil)
                        steps.withLock { $0.append("returning") }
                        return 1
                    }
                ])
        }
        try add()
        #expect(try bus.call("a", "x").value == 1)
        #expect(steps.withLock { $0 } == ["returning", "gone"])
    }

    @Test func aListingHasAll() throws {
        let bus = try Bus()
        try bus.addComponent(Home(), name: "b", options: ComponentOptions(doc: "the home", priority: 3))
        try bus.addComponent("a", actions: [Action("x", isEvent: true, isWorkerOnly: true) { _ in 1 }])
        let all = try bus.components()
        #expect(all.map(\.name) == ["a", "b"] && all.map(\.language) == ["swift", "swift"])
        #expect(all[0].actions[0].isEvent && all[0].actions[0].isWorkerOnly && all[0].type == "")
        #expect(all[1].doc == "the home" && all[1].priority == 3 && all[1].type.hasSuffix("Home") && !all[1].isStatic)
        #expect(all[1].actions.map(\.name) == ["greet", "whoami"] && all[1].actions[0].doc == "says hello")
    }

    @Test func itsInterceptorsComeBeforeItsActions() throws {
        let bus = try Bus()
        try bus.addComponent(
            "a", actions: [Action("x") { _ in "action" }, Action("y") { _ in 1 }],
            options: ComponentOptions(interceptors: [
                { request in
                    if request.action == "y" { return "interceptor" }
                    try request.proceed()
                    return nil
                }
            ]))
        #expect(try bus.call("a", "x").value == "action")
        #expect(try bus.call("a", "y").value == "interceptor")
    }

    @Test func manyActionsKeepTheirNames() throws {
        let bus = try Bus()
        for number in 0..<200 {
            try bus.addComponent(
                "c\(number)",
                actions: (0..<5).map { action in
                    Action("a\(action)" + String(repeating: "-", count: number % 60)) { _ in
                        .string("\(number).\(action)")
                    }
                })
        }
        for number in stride(from: 0, to: 200, by: 2) { try bus.removeComponent(named: "c\(number)") }
        for number in 0..<200 {
            let answer = try? bus.call("c\(number)", "a3" + String(repeating: "-", count: number % 60)).value
            #expect(answer == (number % 2 == 0 ? nil : .string("\(number).3")))
        }
    }
}
