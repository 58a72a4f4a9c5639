internal import CCrosstie

/// The providers of a bus, in their order: never changed once readers can see it, replaced whole.
struct ProviderSpace {
    let providers: [RegisteredProvider]

    typealias Pointer = UnsafeMutablePointer<ProviderSpace>

    /// How many a bus may have: as many as may decline a request.
    static var maximumProviders: Int { RequestExtras.maximumDeclines }
}

/// The resolver of providers: the first in their order that may serve a request and has not declined it.
///
/// Call it inside a read section.
enum ProviderResolver {
    /// The flag of a request that opens a URL that is for providers alone.
    static var claimFlag: UInt32 { UInt32(CTIE_REQUEST_CLAIM) }

    @inline(never)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution {
        provider(for: block).map { .found($0, row: $0) } ?? .failed(.noHandler)
    }

    /// URLs and activities of remote origin are not for everybody.
    static func provider(for block: RequestBlock.Pointer) -> Registration.Pointer? {
        guard let space = block.pointee.bus.providers else { return nil }
        let needsPublic = !block.pointee.isLocal && (block.pointee.kind == .open || block.pointee.kind == .activity)
        for provider in space.pointee.providers where provider.mayServe(block) {
            guard let registration = Registration.at(provider.registration),
                !needsPublic || registration.pointee.isPublic,
                block.pointee.extras?.hasDeclined(registration) != true
            else { continue }
            return registration
        }
        return nil
    }

    /// Whether the URL's scheme is what a provider is known by, so that its URLs are this program's.
    static func isAppID(_ block: RequestBlock.Pointer) -> Bool {
        guard let space = block.pointee.bus.providers else { return false }
        let scheme = block.pointee.parts.text(block.pointee.parts.scheme)
        return space.pointee.providers.contains { scheme.elementsEqual($0.content.appID.utf8) }
    }

    /// Ends a request that nobody serves. URLs and activities may be somebody else's; the rest is told to the log.
    static func endUnhandled(_ block: RequestBlock.Pointer) {
        let target = String(decoding: block.target ?? .empty, as: UTF8.self)
        let message =
            switch block.pointee.kind {
            case .share: "no provider shares to '\(target)'"
            case .oauth: "no provider signs in with '\(target)'"
            case .launch: "no provider launches programs of '\(target)'"
            default: "no provider claims it"
            }
        if block.pointee.kind != .open, block.pointee.kind != .activity {
            BusRecord.write(about: block, .error, message)
        }
        block.end(.noHandler, message: message)
    }
}

extension UnsafeMutablePointer where Pointee == BusRecord {
    /// The providers; nil before there is one. Read it inside a read section, or with the lock.
    var providers: ProviderSpace.Pointer? {
        ProviderSpace.Pointer(bitPattern: pointee.providers.load(ordering: .acquiring))
    }

    /// Shows readers another list. Gives the one before, which may still be read. With the lock held.
    func publish(_ providers: [RegisteredProvider]) -> ProviderSpace.Pointer? {
        let fresh = ProviderSpace.Pointer.allocate(capacity: 1)
        fresh.initialize(to: ProviderSpace(providers: providers))
        let before = pointee.providers.exchange(UInt(bitPattern: fresh), ordering: .acquiringAndReleasing)
        return ProviderSpace.Pointer(bitPattern: before)
    }
}

extension UnsafeMutablePointer where Pointee == ProviderSpace {
    /// Frees a list that readers find no more, once those who had found it are done.
    func free() {
        ReadSide.waitForReaders()
        deinitialize(count: 1)
        deallocate()
    }
}
