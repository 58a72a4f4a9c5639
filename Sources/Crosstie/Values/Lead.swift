/// The first bytes of the format's types.
enum Lead {
    static var fixMap: UInt8 { 0x80 }
    static var fixList: UInt8 { 0x90 }
    static var fixString: UInt8 { 0xA0 }
    static var null: UInt8 { 0xC0 }
    /// Of no type of the format: a frame in shared memory names bytes beside it so.
    static var outside: UInt8 { 0xC1 }
    static var no: UInt8 { 0xC2 }
    static var yes: UInt8 { 0xC3 }
    /// This, and the next two for wider counts; so with the others that have several widths.
    static var bytes8: UInt8 { 0xC4 }
    static var float32: UInt8 { 0xCA }
    static var float64: UInt8 { 0xCB }
    static var uint8: UInt8 { 0xCC }
    static var int8: UInt8 { 0xD0 }
    /// An extension of one byte, after a byte with its type.
    static var extension1: UInt8 { 0xD4 }
    /// The type of a descriptor's index in a frame.
    static var descriptor: UInt8 { 1 }
    static var string8: UInt8 { 0xD9 }
    static var list16: UInt8 { 0xDC }
    static var map16: UInt8 { 0xDE }
}
