// Null, booleans and numbers: in the word itself where they fit.

extension ValueRef {
    /// The values that are a word of their own.
    private enum Constant: UInt {
        case null, no, yes, zero, negativeZero
    }

    private init(_ constant: Constant) { bits = constant.rawValue << Tag.width | Tag.constant }

    var constantKind: Kind {
        switch Constant(rawValue: bits >> Tag.width) {
        case .no, .yes: .bool
        case .zero, .negativeZero: .double
        default: .null
        }
    }

    package static var null: ValueRef { ValueRef(bits: 2) }

    package static func bool(_ value: Bool) -> ValueRef { ValueRef(value ? .yes : .no) }

    /// The boolean; nil for another kind.
    package var boolValue: Bool? {
        if bits == ValueRef(.yes).bits { return true }
        return bits == ValueRef(.no).bits ? false : nil
    }

    /// An integer as C gets it; nil when out of memory.
    package static func pointer(to value: Int64) -> OpaquePointer? { (intWord(value) ?? wideInt(value))?.pointer }

    @inline(never)
    private static func wideInt(_ value: Int64) -> ValueRef? { try? int(value) }

    /// An integer in the word itself; nil for one that needs more than 61 bits.
    @inline(__always)
    private static func intWord(_ value: Int64) -> ValueRef? {
        let shifted = value << Int64(Tag.width)
        guard shifted >> Int64(Tag.width) == value else { return nil }
        return ValueRef(bits: UInt(bitPattern: Int(shifted)) | Tag.int)
    }

    /// In the word when 61 bits are enough.
    package static func int(_ value: Int64) throws(CrosstieError) -> ValueRef {
        if let word = intWord(value) { return word }
        let ref = try allocate(.int, size: MemoryLayout<Int64>.size)
        ref.content.storeBytes(of: value, as: Int64.self)
        return ref
    }

    /// The integer; nil for another kind.
    package var intValue: Int64? {
        if tag == Tag.int { return Int64(Int(bitPattern: bits)) >> Int64(Tag.width) }
        return isCell && kind == .int ? content.load(as: Int64.self) : nil
    }

    /// In the word for zero and for magnitudes from about 1e-38 to 1e38.
    package static func double(_ value: Double) throws(CrosstieError) -> ValueRef {
        if value == 0 { return ValueRef(value.sign == .minus ? .negativeZero : .zero) }
        if let word = doubleWord(value) { return word }
        let ref = try allocate(.double, size: MemoryLayout<Double>.size)
        ref.content.storeBytes(of: value, as: Double.self)
        return ref
    }

    /// The double; nil for another kind, integers included.
    package var doubleValue: Double? {
        switch tag {
        case Tag.double: wordDouble
        case Tag.cell: kind == .double ? content.load(as: Double.self) : nil
        default: bits == ValueRef(.zero).bits ? 0 : bits == ValueRef(.negativeZero).bits ? -0.0 : nil
        }
    }

    /// The exponents in the middle begin with 0111 or 1000, so that one bit tells them apart and three are free.
    /// With the sign turned to the low end, a subtraction makes them 0 or 1 and moves all others out of range.
    private static func doubleWord(_ value: Double) -> ValueRef? {
        let turned = value.bitPattern << 1 | value.bitPattern >> 63
        let moved = turned &- lowestMiddleExponent
        guard moved < 1 << 61 else { return nil }
        return ValueRef(bits: UInt(moved) << Tag.width | Tag.double)
    }

    private var wordDouble: Double {
        let turned = UInt64(bits >> Tag.width) &+ Self.lowestMiddleExponent
        return Double(bitPattern: turned >> 1 | turned << 63)
    }

    private static var lowestMiddleExponent: UInt64 { 0b0111 << 60 }
}
