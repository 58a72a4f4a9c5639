/// The contents of large bytes values beside a message that names them, one behind the other.
package struct OutsideBytes {
    private var rest: UnsafeRawBufferPointer

    package init(_ rest: UnsafeRawBufferPointer) { self.rest = rest }

    /// A message that names none.
    package static var none: OutsideBytes { OutsideBytes(UnsafeRawBufferPointer(start: nil, count: 0)) }

    package var isEmpty: Bool { rest.isEmpty }

    /// The next content; nil if fewer bytes are left.
    mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}
