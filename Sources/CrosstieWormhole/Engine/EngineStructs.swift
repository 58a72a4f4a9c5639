/// An array of structs that an engine gives. They lie as far apart as the size in the first one says, which a newer
/// header may have made larger.
struct EngineStructs {
    let count: Int
    private let first: UnsafeRawPointer
    private let stride: Int

    /// No struct will ever be longer.
    private static var longest: Int { 1024 }
    private static var alignment: Int { 8 }

    /// - Parameter size: the size of the struct in this library's header.
    /// - Throws: *corruptData* for an array that cannot be, *incompatibleABI* for one of a newer header that says
    ///   something unknown.
    init(_ given: UnsafeRawPointer?, count: Int, size: Int) throws(CrosstieError) {
        guard let given, UInt(bitPattern: given) % UInt(EngineStructs.alignment) == 0 else {
            throw .ofEngine("gave a struct that is NULL or misaligned")
        }
        (first, self.count, stride) = (given, count, given.load(as: Int.self))
        guard stride >= size, stride <= EngineStructs.longest, stride % EngineStructs.alignment == 0,
            (0..<count).allSatisfy({ self[$0].load(as: Int.self) == stride })
        else { throw CrosstieError(.corruptData, "the engine gave a struct that has not the size of \(size) bytes") }
        for index in 0..<count {
            for offset in size..<stride where self[index].load(fromByteOffset: offset, as: UInt8.self) != 0 {
                throw CrosstieError(.incompatibleABI, "a struct of the engine is of a newer header")
            }
        }
    }

    /// The address of the one at an index.
    subscript(_ index: Int) -> UnsafeRawPointer { first + index * stride }

    /// A single one.
    static func one<Struct>(_ given: UnsafeRawPointer?, as type: Struct.Type) throws(CrosstieError) -> Struct {
        try EngineStructs(given, count: 1, size: MemoryLayout<Struct>.size)[0].load(as: Struct.self)
    }
}
