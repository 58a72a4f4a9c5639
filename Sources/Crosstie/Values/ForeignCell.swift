/// The content of a foreign value's cell: for objects whose address does not fit in the word.
struct ForeignCell {
    let object: UnsafeMutableRawPointer
    let type: UInt32

    var hooks: ForeignHooks { ForeignTypes.hooks(Int(type)).pointee }
}
