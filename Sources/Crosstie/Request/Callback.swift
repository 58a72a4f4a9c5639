package import CCrosstie

/// A handler as it is called: one form for C functions, Python callables and Swift closures.
///
/// The measured call path needs a plain function and a plain pointer; this file and `CrosstieABI` are
/// the only places that handle them.
package typealias HandlerFunction = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void

package typealias CompletionFunction = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void

package typealias ProgressFunction = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void

/// Told something without arguments of its own.
package typealias NotifyFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

package typealias LogFunction = ctie_logger_fn

/// Answers a question about a provider.
package typealias ProviderStateFunction = ctie_provider_state_fn

/// A function that says whether a provider can serve a request.
package typealias ProviderCanFunction = ctie_provider_can_fn

package typealias DestroyFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// The context of a callback: the host's pointer, and the function that destroys it when it is no longer needed.
package struct CallbackContext {
    package let pointer: UnsafeMutableRawPointer?
    private let destroyFunction: DestroyFunction?

    package init(pointer: UnsafeMutableRawPointer?, destroy: DestroyFunction?) {
        self.pointer = pointer
        destroyFunction = destroy
    }

    /// Tells the host, as inside a callback, with no lock held.
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

    /// The same of one that has something to end then.
    init(ending object: EndingObject) {
        pointer = Unmanaged.passRetained(object).toOpaque()
        destroyFunction = { raw in
            if let raw { Unmanaged<EndingObject>.fromOpaque(raw).takeRetainedValue().end() }
        }
    }

    /// The address that identifies an object.
    static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// A context that is an object which somebody else keeps for as long.
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

/// An object that ends something when the context that holds it is destroyed, and not when its last reference is dropped.
class EndingObject {
    func end() {}
}

/// A language runtime's lock, which a thread that holds it releases and takes back.
/// It stays valid until the process ends. Its address identifies it.
package struct RuntimeLock: Equatable {
    package typealias Leave = @convention(c) () -> UnsafeMutableRawPointer?
    package typealias Enter = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Two of the same identity are one runtime.
    package let identity: UnsafeRawPointer
    private let leave: Leave
    private let enter: Enter

    package init(identity: UnsafeRawPointer, leave: @escaping Leave, enter: @escaping Enter) {
        self.identity = identity
        self.leave = leave
        self.enter = enter
    }

    package static func == (left: RuntimeLock, right: RuntimeLock) -> Bool { left.identity == right.identity }

    /// Runs `body` with the lock released.
    package func without<Result>(_ body: () -> Result) -> Result {
        let token = leave()
        defer { enter(token) }
        return body()
    }
}
