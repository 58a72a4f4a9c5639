import CCrosstie
import Crosstie

/// The options that a caller passed, or the defaults for NULL.
///
/// No header has had a shorter struct than ours yet. One from a newer header is longer, and what it says
/// beyond ours must be zero, for we could not heed it.
///
/// - Throws: *invalid* for a misaligned struct or a size that no header has had; *abi* for options of a
///   newer header.
@inline(__always)
func options<Options>(_ pointer: UnsafePointer<Options>?, default: Options) throws(CrosstieError) -> Options {
    guard let pointer else { return `default` }
    try checkOptions(pointer)
    return pointer.pointee
}

/// The same for options that are read where they lie.
@inline(__always)
func checkOptions<Options>(_ pointer: UnsafePointer<Options>) throws(CrosstieError) {
    let raw = UnsafeRawPointer(pointer)
    guard UInt(bitPattern: raw) % UInt(MemoryLayout<Options>.alignment) == 0 else {
        throw CrosstieError(.invalid, "the options are not aligned", at: "options")
    }
    let size = raw.load(as: Int.self)
    if size != MemoryLayout<Options>.size { try checkOtherSize(raw, size, ours: MemoryLayout<Options>.size) }
}

/// No struct of options will ever be longer.
private let longestOptions = 1024

private func checkOtherSize(_ raw: UnsafeRawPointer, _ size: Int, ours: Int) throws(CrosstieError) {
    guard size > ours, size <= longestOptions else {
        throw CrosstieError(.invalid, "the options' size is not one of this library's", at: "options.size")
    }
    guard (ours..<size).allSatisfy({ raw.load(fromByteOffset: $0, as: UInt8.self) == 0 }) else {
        throw CrosstieError(.abi, "the options are of a newer header than this library", at: "options.size")
    }
}

/// The runtime that options name, if any.
///
/// - Throws: *invalid* for a struct that is misaligned, short or without its two functions.
@inline(__always)
func runtime(_ pointer: UnsafePointer<ctie_runtime>?) throws(CrosstieError) -> RuntimeLock? {
    guard let pointer else { return nil }
    let runtime = try options(pointer, default: ctie_runtime())
    guard let leave = runtime.leave, let enter = runtime.enter else {
        throw CrosstieError(.invalid, "a runtime needs both leave and enter", at: "options.runtime")
    }
    return RuntimeLock(identity: UnsafeRawPointer(pointer), leave: leave, enter: enter)
}

extension Handle {
    /// A handle as C holds it; NULL is a handle of nothing.
    @inline(__always)
    init(_ pointer: OpaquePointer?) { self.init(bits: UInt(bitPattern: pointer)) }
}
