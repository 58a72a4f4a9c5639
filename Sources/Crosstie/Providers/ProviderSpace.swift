internal import CCrosstie

/// The providers of a bus, in their order: never changed once readers can see it, replaced whole.
struct ProviderSpace {
    let providers: [RegisteredProvider]

    typealias Pointer = UnsafeMutablePointer<ProviderSpace>

    /// The most that a bus may have: as many as may decline a request.
    static var maximumProviders: Int { RequestExtras.maximumDeclines }
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
        _ = pointee.state?.part(ProvidersPart.self)
        let before = pointee.providers.exchange(UInt(bitPattern: fresh), ordering: .acquiringAndReleasing)
        return ProviderSpace.Pointer(bitPattern: before)
    }
}

extension UnsafeMutablePointer where Pointee == ProviderSpace {
    /// Frees a list that readers no longer find, once the readers that had found it are done.
    func free() {
        ReadSide.waitForReaders()
        deinitialize(count: 1)
        deallocate()
    }
}
