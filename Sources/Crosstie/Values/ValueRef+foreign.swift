/// A foreign value's word holds, above the tag, the object's address and in the top 16 bits its type. Such a
/// word is not counted itself: retaining it retains the object.
extension ValueRef {
    private static var typeShift: UInt { 48 }

    /// A value that is a host's object, which it retains.
    ///
    /// - Throws: `invalidArgument` when the type is not registered, `outOfMemory`.
    package static func foreign(
        type: UInt32, object: UnsafeMutableRawPointer
    ) throws(CrosstieError) -> ValueRef {
        guard ForeignTypes.isRegistered(type) else {
            throw CrosstieError(.invalidArgument, "there is no foreign type \(type)")
        }
        let address = UInt(bitPattern: object)
        let fits = address & Tag.mask == 0 && address >> typeShift == 0
        let ref = fits ? ValueRef(bits: UInt(type) << typeShift | address | Tag.foreign) : try cell(type, object)
        ForeignTypes.hooks(Int(type)).pointee.retain(object)
        return ref
    }

    private static func cell(_ type: UInt32, _ object: UnsafeMutableRawPointer) throws(CrosstieError) -> ValueRef {
        let ref = try allocate(.foreign, size: MemoryLayout<ForeignCell>.size, holdsForeign: true)
        ref.content.initializeMemory(as: ForeignCell.self, to: ForeignCell(object: object, type: type))
        return ref
    }

    /// Only for foreign values in a cell.
    var foreignCell: ForeignCell { content.load(as: ForeignCell.self) }

    /// Only for foreign values in a word.
    private var wordType: Int { Int(bits >> Self.typeShift) }
    private var wordObject: UnsafeMutableRawPointer {
        let address = bits & (1 << Self.typeShift &- 1) & ~Tag.mask
        return UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
    }

    /// The object, borrowed, and its type's number; nil for another kind.
    package var foreign: (object: UnsafeMutableRawPointer, type: UInt32)? {
        if tag == Tag.foreign { return (wordObject, UInt32(truncatingIfNeeded: wordType)) }
        guard isCell, kind == .foreign else { return nil }
        return (foreignCell.object, foreignCell.type)
    }

    /// The type's tag, static; nil for another kind.
    package var foreignTag: UnsafeRawBufferPointer? {
        foreign.map { ForeignTypes.hooks(Int($0.type)).pointee.tag }
    }

    func retainForeignWord() { ForeignTypes.hooks(wordType).pointee.retain(wordObject) }

    func releaseForeignWord() { ForeignTypes.hooks(wordType).pointee.release(wordObject) }
}
