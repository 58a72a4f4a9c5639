/// The resolver of providers: the first in their order that may serve a request and has not declined it.
///
/// Call it inside a read section.
enum HandOffResolver {
    @inline(never)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution {
        provider(for: block).map { .found($0, match: $0) } ?? .failed(.noHandler)
    }

    /// URLs and activities of remote origin are not for everybody.
    static func provider(for block: RequestBlock.Pointer) -> RegistrationRecord.Pointer? {
        guard let space = block.pointee.bus.providers else { return nil }
        let needsPublic = !block.pointee.isLocal && (block.pointee.kind == .open || block.pointee.kind == .activity)
        for provider in space.pointee.providers where provider.mayServe(block) {
            guard let registration = RegistrationRecord.at(provider.registration),
                !needsPublic || registration.pointee.isPublic,
                block.pointee.extras?.hasDeclined(registration) != true
            else { continue }
            return registration
        }
        return nil
    }

    /// Whether the URL's scheme is that of a provider, so that its URLs are this program's.
    static func isAppID(_ block: RequestBlock.Pointer) -> Bool {
        guard let space = block.pointee.bus.providers else { return false }
        let scheme = block.pointee.parts.text(block.pointee.parts.scheme)
        return space.pointee.providers.contains { scheme.elementsEqual($0.content.appID.utf8) }
    }
}
