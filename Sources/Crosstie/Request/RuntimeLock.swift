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
