/// The hooks for a host's objects of one type. The C form is `ctie_foreign_type`.
package struct ForeignHooks {
    package typealias Reference = @convention(c) (UnsafeMutableRawPointer) -> Void
    package typealias Materialize =
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>) -> Int32

    /// The type's name; static once the type is registered.
    package var tag: UnsafeRawBufferPointer
    package var retain: Reference
    package var release: Reference
    package var materialize: Materialize?

    package init(
        tag: UnsafeRawBufferPointer, retain: @escaping Reference, release: @escaping Reference,
        materialize: Materialize?
    ) {
        (self.tag, self.retain, self.release, self.materialize) = (tag, retain, release, materialize)
    }

    func isSame(as other: ForeignHooks) -> Bool {
        unsafeBitCast(retain, to: UInt.self) == unsafeBitCast(other.retain, to: UInt.self)
            && unsafeBitCast(release, to: UInt.self) == unsafeBitCast(other.release, to: UInt.self)
            && unsafeBitCast(materialize, to: UInt.self) == unsafeBitCast(other.materialize, to: UInt.self)
    }
}
