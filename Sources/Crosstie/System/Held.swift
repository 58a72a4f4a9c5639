/// A strong reference in plain memory, for structs that no copy shall count references for. The last owner takes the
/// object out.
package struct Held<Object: AnyObject> {
    private let storage: UnsafeMutablePointer<Object>

    package init(_ object: Object) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: object)
    }

    package var object: Object { storage.pointee }

    package func take() -> Object {
        defer { storage.deallocate() }
        return storage.move()
    }
}
