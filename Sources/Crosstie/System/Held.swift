/// A strong reference in plain memory, for structs that no copy shall count references for. The last owner takes the
/// object out.
package struct Held<Object: AnyObject> {
    private let place: UnsafeMutablePointer<Object>

    package init(_ object: Object) {
        place = .allocate(capacity: 1)
        place.initialize(to: object)
    }

    package var object: Object { place.pointee }

    package func take() -> Object {
        defer { place.deallocate() }
        return place.move()
    }
}
