/// The owner of the forwarder's registration, by which the resolver of calls finds it.
final class ElsewhereOwner: RegistrationOwner, @unchecked Sendable {
    private let elsewhere: Elsewhere

    init(_ elsewhere: Elsewhere) {
        self.elsewhere = elsewhere
        super.init(nil)
    }

    func takes(_ block: RequestBlock.Pointer) -> Bool { elsewhere.takes(block) }
}
