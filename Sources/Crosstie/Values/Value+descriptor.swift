extension Value {
    /// A value with an open file, which is duplicated and closed with the last value that has it. It passes through the calls
    /// of this process, and travels to joined buses of this machine; elsewhere it is *foreignValue*.
    ///
    /// - Throws: *invalidArgument* for a number that is no open file; *systemFailure*.
    public static func descriptor(_ file: Int32) throws(CrosstieError) -> Value {
        let ref = try ValueRef.descriptor(try Descriptor(duplicating: file))
        defer { ref.release() }
        return Value(borrowing: ref)
    }

    /// The open file of a descriptor, which lives as long as the value: duplicate it to keep it. Nil for another kind.
    public var descriptorValue: Int32? { foreignValue?.ref.descriptor?.file }
}
