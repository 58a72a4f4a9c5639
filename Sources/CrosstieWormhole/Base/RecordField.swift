/// A value at a fixed offset of a stored record. The encoder and the decoder of a record share one `Layout` of such
/// fields, so that each offset is written once.
///
/// A field does not check the size of the bytes. Each encoder and decoder compares it with the layout's size, once,
/// before it uses the first field.
struct RecordField<Value: BitwiseCopyable> {
    let offset: Int

    @inline(__always)
    init(_ offset: Int) { self.offset = offset }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    subscript<Value>(field: RecordField<Value>) -> Value {
        loadUnaligned(fromByteOffset: field.offset, as: Value.self)
    }

    /// The field of a record that begins at a position.
    @inline(__always)
    subscript<Value>(field: RecordField<Value>, at position: Int) -> Value {
        loadUnaligned(fromByteOffset: position &+ field.offset, as: Value.self)
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    subscript<Value>(field: RecordField<Value>) -> Value {
        get { loadUnaligned(fromByteOffset: field.offset, as: Value.self) }
        nonmutating set { storeBytes(of: newValue, toByteOffset: field.offset, as: Value.self) }
    }
}

extension UnsafeMutableRawBufferPointer {
    @inline(__always)
    subscript<Value>(field: RecordField<Value>) -> Value {
        get { loadUnaligned(fromByteOffset: field.offset, as: Value.self) }
        nonmutating set { storeBytes(of: newValue, toByteOffset: field.offset, as: Value.self) }
    }
}
