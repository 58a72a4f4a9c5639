import Synchronization

/// Values as another language sees them: a foreign object crosses a call untouched, and only who looks inside
/// without knowing its language gets its plain form, made once and kept with the request.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The response's value; foreign values in it are replaced by their plain forms if all of them have one.
    package var plainValue: ValueRef { pointee.value.plain(keptIn: pointee.plainValue) }

    /// The same of what the caller gave beside the URL.
    package var plainUserInfo: ValueRef { pointee.userInfo.plain(keptIn: pointee.plainUserInfo) }

    /// The same of the parameters.
    package var plainParams: ValueRef { pointee.params.plain(keptIn: pointee.plainParams) }

    /// The same as Swift code sees them: objects of Swift as they are.
    package var swiftValue: ValueRef { pointee.value.isSwiftObject ? pointee.value : plainValue }

    package var swiftUserInfo: ValueRef { pointee.userInfo.isSwiftObject ? pointee.userInfo : plainUserInfo }

    package var swiftParams: ValueRef { pointee.params.isSwiftObject ? pointee.params : plainParams }

    /// Whether it has plain forms, values from before, or the mark that its callbacks have been told.
    @inline(__always)
    var hasExtras: Bool {
        pointee.plainValue.load(ordering: .relaxed) | pointee.plainUserInfo.load(ordering: .relaxed)
            | pointee.plainParams.load(ordering: .relaxed) | pointee.kept.load(ordering: .relaxed)
            | pointee.callbacks.load(ordering: .relaxed) != 0
    }

    /// Lets go of all that, for a request whose life has ended.
    func freeExtras() {
        pointee.callbacks.store(0, ordering: .relaxed)
        KeptValue.releaseAll(pointee.kept.exchange(0, ordering: .relaxed))
        ValueRef(bits: pointee.plainValue.exchange(0, ordering: .relaxed)).releaseIfMade()
        ValueRef(bits: pointee.plainUserInfo.exchange(0, ordering: .relaxed)).releaseIfMade()
        ValueRef(bits: pointee.plainParams.exchange(0, ordering: .relaxed)).releaseIfMade()
    }
}

extension ValueRef {
    /// A value without foreign values in it, made once; the value itself when it has none, or one that has
    /// no plain form.
    @inline(__always)
    fileprivate func plain(keptIn word: borrowing Atomic<UInt>) -> ValueRef {
        holdsForeign ? materialized(keptIn: word) : self
    }

    private func materialized(keptIn word: borrowing Atomic<UInt>) -> ValueRef {
        let kept = word.load(ordering: .acquiring)
        if kept != 0 { return ValueRef(bits: kept) }
        guard let made = try? materialized() else { return self }
        let (won, other) = word.compareExchange(expected: 0, desired: made.bits, ordering: .acquiringAndReleasing)
        if won { return made }
        made.release()
        return ValueRef(bits: other)
    }

    func releaseIfMade() {
        if bits != 0 { release() }
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The text of a parameter that the caller has given by name.
    func namedText(_ name: Text) -> Result<Text, Status> {
        guard plainParams.kind == .map, let value = plainParams.value(for: name) else { return .failure(.notFound) }
        return value.stringBytes.map { .success($0) } ?? .failure(.wrongType)
    }
}
