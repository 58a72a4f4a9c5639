/// A large bytes value whose content is left beside the message that names it.
package final class OutsideValue: @unchecked Sendable {
    private let value: ValueRef
    /// The offset of its name in the memory that the message was written into.
    package let offset: Int

    init(_ value: ValueRef, at offset: Int) { (self.value, self.offset) = (value.retained(), offset) }

    deinit { value.release() }

    package var bytes: UnsafeRawBufferPointer { value.contentBytes }
}
