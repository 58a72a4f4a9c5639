import CrosstieInstance
internal import Glibc
import Testing

/// The single instance: two of one process.
@Suite struct InstanceTests {
    private let scratch = Scratch()

    @Test func aURLOpensInTheFirstInstance() throws {
        let (one, other) = (try Bus(), try Bus())
        let opened = Counter()
        try one.route("app://items/:number", isPublic: true) { request in
            opened.add()
            let token = request.userInfo["activation"]?["token"]?.stringValue ?? "none"
            return .string("\(try request.parameter("number")) \(token)")
        }
        let first = try one.claimInstance("com.example.app", directory: scratch.path)
        #expect(first.isFirst)
        #expect(try first.hand(["app://items/1"], activation: ["token": "a"]).map(\.status) == [.pending])
        try first.ready()
        while opened.count == 0 { usleep(200) }
        let second = try other.claimInstance("com.example.app", directory: scratch.path)
        #expect(!second.isFirst)
        let urls = ["app://items/2", "app://items/3"]
        let answers = try second.hand(urls, activation: ["token": "b"], timeout: .forever)
        #expect(answers.map(\.value) == ["2 b", "3 b"])
        #expect(answers.map(\.url) == urls)
        #expect(throws: CrosstieError.self) { try second.hand(["app://nowhere"]) }
        #expect(throws: CrosstieError.self) { try second.ready() }
        #expect(first.release() == .ok)
        #expect(try second.hand().map(\.status) == [.pending])
        #expect(second.isFirst)
    }

    @Test func theLastReferenceEndsTheClaim() throws {
        let bus = try Bus()
        do {
            let first = try bus.claimInstance("com.example.app", directory: scratch.path)
            #expect(first.isFirst)
        }
        let second = try bus.claimInstance("com.example.app", directory: scratch.path)
        #expect(second.isFirst)
        bus.close()
        #expect(!second.isFirst)
        #expect(throws: CrosstieError.self) { try second.hand() }
    }

    @Test func aClaimWithoutDBusHasNoName() throws {
        let (one, other) = (try Bus(), try Bus())
        let first = try one.claimInstance("com.example.app", directory: scratch.path, usesDBus: false)
        let second = try other.claimInstance("com.example.app", directory: scratch.path)
        #expect(first.isFirst && !second.isFirst)
        #expect(first.dbusStatus == .notFound)
        #expect(second.dbusStatus == .notFound)
    }

    @Test func namesAreChecked() throws {
        let bus = try Bus()
        for name in ["", ".", "../app", "a b", "-a"] {
            let error = #expect(throws: CrosstieError.self) { try bus.claimInstance(name, directory: scratch.path) }
            #expect(error?.status == .invalidIdentifier)
        }
    }
}
