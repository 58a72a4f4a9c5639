import CCrosstie
import Crosstie

/// The options that a caller passed, or the defaults for NULL.
///
/// Options of an older header are shorter: the missing fields are zero, the default. Options of a newer header are
/// longer, and the unknown fields must be zero, because this library does not know their meaning.
///
/// - Throws: *invalidArgument* for a misaligned struct or a size that no header has had; *incompatibleABI* for options
///   of a newer header.
func options<Options>(
    _ pointer: UnsafePointer<Options>?, _ sizes: OptionSizes, default: Options
) throws(CrosstieError) -> Options {
    guard let pointer else { return `default` }
    return try isWhole(pointer, sizes) ? pointer.pointee : completed(pointer, by: `default`)
}

/// Checks options. True if they can be read in place; false for those of an older header.
@inline(__always)
func isWhole<Options>(_ pointer: UnsafePointer<Options>, _ sizes: OptionSizes) throws(CrosstieError) -> Bool {
    let raw = UnsafeRawPointer(pointer)
    let isAligned = UInt(bitPattern: raw) % UInt(MemoryLayout<Options>.alignment) == 0
    if isAligned, raw.load(as: Int.self) == MemoryLayout<Options>.size { return true }
    return try sizes.isWhole(raw, isAligned: isAligned, ours: MemoryLayout<Options>.size)
}

/// Checked options of an older header: fields that it did not have are zero.
func completed<Options>(_ pointer: UnsafePointer<Options>, by zero: Options) -> Options {
    var whole = zero
    withUnsafeMutableBytes(of: &whole) { copy(pointer, to: $0) }
    return whole
}

/// Copies as much of a struct as its size says, and as fits.
@inline(never)
private func copy(_ sized: UnsafeRawPointer, to bytes: UnsafeMutableRawBufferPointer) {
    let size = min(max(sized.load(as: Int.self), 0), bytes.count)
    bytes.copyMemory(from: UnsafeRawBufferPointer(start: sized, count: size))
}

/// The runtime that options name, if any.
///
/// - Throws: *invalidArgument* for a struct that is misaligned, short or without its two functions.
@inline(__always)
func runtime(_ pointer: UnsafePointer<ctie_runtime>?) throws(CrosstieError) -> RuntimeLock? {
    guard let pointer else { return nil }
    let runtime = try options(pointer, .runtime, default: ctie_runtime())
    guard let leave = runtime.leave, let enter = runtime.enter else {
        throw CrosstieError(.invalidArgument, "a runtime needs both leave and enter", at: "options.runtime")
    }
    return RuntimeLock(identity: UnsafeRawPointer(pointer), leave: leave, enter: enter)
}

extension Handle {
    /// A handle in its C form; NULL is no handle.
    @inline(__always)
    init(_ pointer: OpaquePointer?) { self.init(bits: UInt(bitPattern: pointer)) }
}
