/// The context of a callback: the host's pointer, and the function that destroys it when it is no longer needed.
package struct CallbackContext {
    package let pointer: UnsafeMutableRawPointer?
    private let destroyFunction: DestroyFunction?

    package init(pointer: UnsafeMutableRawPointer?, destroy: DestroyFunction?) {
        self.pointer = pointer
        destroyFunction = destroy
    }

    /// Calls the host's destroy function, as inside a callback, with no lock held.
    package func destroy() {
        guard let destroyFunction else { return }
        ThreadSlot.current.withCallback { destroyFunction(pointer) }
    }

    /// A context that holds a Swift object until it is destroyed.
    package init(holding object: AnyObject) {
        pointer = Unmanaged.passRetained(object).toOpaque()
        destroyFunction = { raw in
            if let raw { Unmanaged<AnyObject>.fromOpaque(raw).release() }
        }
    }

    /// A context that holds an object with work to do when it is destroyed.
    init(finalizing object: Finalizer) {
        pointer = Unmanaged.passRetained(object).toOpaque()
        destroyFunction = { raw in
            if let raw { Unmanaged<Finalizer>.fromOpaque(raw).takeRetainedValue().end() }
        }
    }

    /// The address that identifies an object.
    static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// A context that is an object, which other code keeps for as long.
    init(lending object: AnyObject) {
        pointer = CallbackContext.address(of: object)
        destroyFunction = nil
    }

    /// The context that ``init(holding:)`` made, by its pointer.
    package init(adopting raw: UnsafeMutableRawPointer?) {
        pointer = raw
        destroyFunction = { raw in
            if let raw { Unmanaged<AnyObject>.fromOpaque(raw).release() }
        }
    }

    /// The object that ``init(holding:)`` was given.
    package static func object<Object: AnyObject>(_ raw: UnsafeMutableRawPointer?, as _: Object.Type) -> Object? {
        raw.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }
}
