import Synchronization

/// The plain form of one of a request's values, with no foreign values in it but descriptors: made when it is first read, and
/// kept with the request.
package struct PlainForm: ~Copyable, Sendable {
    private let word = Atomic<UInt>(0)

    /// The word of the form: 0 until it is made.
    @inline(__always)
    var bits: UInt { word.load(ordering: .relaxed) }

    /// Returns the plain form of a value; the value itself if it has no foreign values in it, or one without a plain form.
    @inline(__always)
    func of(_ value: ValueRef) -> ValueRef { value.holdsForeign ? materialized(value) : value }

    private func materialized(_ value: ValueRef) -> ValueRef {
        let kept = word.load(ordering: .acquiring)
        if kept != 0 { return ValueRef(bits: kept) }
        guard let made = try? value.materialized(keepsDescriptors: true) else { return value }
        let (won, other) = word.compareExchange(expected: 0, desired: made.bits, ordering: .acquiringAndReleasing)
        if won { return made }
        made.release()
        return ValueRef(bits: other)
    }

    /// Moves the form to the values that live as long as the request, before the value is replaced.
    func move(to kept: borrowing KeptValues) {
        let bits = word.exchange(0, ordering: .acquiringAndReleasing)
        if bits != 0 { kept.add(ValueRef(bits: bits)) }
    }

    /// Releases the form, at the end of the request's life.
    func release() {
        let bits = word.exchange(0, ordering: .relaxed)
        if bits != 0 { ValueRef(bits: bits).release() }
    }
}
