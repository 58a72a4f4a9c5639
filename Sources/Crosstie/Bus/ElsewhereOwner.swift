/// The owner of the forwarder's registration, by which resolvers find it.
final class ElsewhereOwner: RegistrationOwner, @unchecked Sendable {
    let elsewhere: Elsewhere

    init(_ elsewhere: Elsewhere) {
        self.elsewhere = elsewhere
        super.init(nil)
    }
}
