/// A listing that an engine shows item by item.
final class EngineListing {
    private let take: (UnsafeRawPointer?) throws(CrosstieError) -> Void
    /// The first error.
    private var fault: CrosstieError?
    private var count = 0

    /// - Parameter take: takes an item, checked.
    private init(_ take: @escaping (UnsafeRawPointer?) throws(CrosstieError) -> Void) { self.take = take }

    /// Runs `body` with the context for ``visit(_:_:)``, which calls `take` with each item.
    static func run(
        _ take: @escaping (UnsafeRawPointer?) throws(CrosstieError) -> Void,
        _ body: (UnsafeMutableRawPointer) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        let box = UnsafeMutablePointer<EngineListing>.allocate(capacity: 1)
        box.initialize(to: EngineListing(take))
        defer {
            box.deinitialize(count: 1)
            box.deallocate()
        }
        try body(UnsafeMutableRawPointer(box))
        if let fault = box.pointee.fault { throw fault }
    }

    /// Takes an item. False to end the listing.
    static func visit(_ given: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?) -> Bool {
        guard let listing = context?.assumingMemoryBound(to: EngineListing.self).pointee, listing.fault == nil else {
            return false
        }
        do throws(CrosstieError) {
            listing.count += 1
            guard listing.count <= ValueRef.maxCount else {
                throw CrosstieError(.limitExceeded, "the engine showed over \(ValueRef.maxCount) items")
            }
            try listing.take(given)
            return true
        } catch {
            listing.fault = error
            return false
        }
    }
}
