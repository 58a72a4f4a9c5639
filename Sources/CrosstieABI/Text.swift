import CCrosstie
import Crosstie

extension ctie_str {
    /// Borrowed text, which lives as long as its owner.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), size: bytes.count)
    }

    /// The bytes of an argument. Nil for an invalid one: NULL with a size, or a size that no memory has (a `size_t`
    /// over `PTRDIFF_MAX` arrives here as a negative number).
    var bytes: UnsafeRawBufferPointer? {
        guard size >= 0, data != nil || size == 0 else { return nil }
        return UnsafeRawBufferPointer(start: data, count: size)
    }
}

/// The error for a NULL that has no meaning.
func missing(_ argument: StaticString, _ more: StaticString = "") -> CrosstieError {
    CrosstieError(.invalidArgument, text(argument) + " is NULL" + text(more), at: text(argument))
}

private func text(_ constant: StaticString) -> String {
    constant.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
}

/// Refuses flags that this library does not know.
func checkFlags(_ flags: UInt32, among known: Int, at location: StaticString = "options.flags") throws(CrosstieError) {
    let unknown = flags & ~UInt32(truncatingIfNeeded: known)
    guard unknown != 0 else { return }
    throw CrosstieError(
        .invalidArgument, "unknown or misplaced flags: 0x" + String(unknown, radix: 16), at: text(location))
}

/// The bytes of an argument that has to be UTF-8.
///
/// - Throws: `invalidArgument` for NULL with a size, `limitExceeded` over `limitExceeded` bytes, `invalidUTF8`.
func text(_ argument: ctie_str, named name: StaticString, limit: Int) throws(CrosstieError) -> UnsafeRawBufferPointer {
    guard let bytes = argument.bytes else { throw missing(name, " or has no valid size") }
    guard bytes.count <= limit else {
        throw CrosstieError(.limitExceeded, "\(name) is over \(limit) bytes", at: "byte \(limit)")
    }
    guard isUTF8(bytes) else {
        throw CrosstieError(
            .invalidUTF8, "\(name) is not valid UTF-8", at: "byte \(UTF8Validator.firstInvalid(in: bytes))")
    }
    return bytes
}

/// Several texts, each in UTF-8 and of at most `limit` bytes; at most `count`.
///
/// - Throws: `invalidArgument` for NULL or misaligned items with a count, `limitExceeded`, `invalidUTF8`.
func strings(
    _ list: ctie_str_list, named name: StaticString, limit: Int, count: Int = 64
) throws(CrosstieError) -> [String] {
    guard list.count != 0 else { return [] }
    guard let items = list.items, UInt(bitPattern: items) % UInt(MemoryLayout<ctie_str>.alignment) == 0 else {
        throw CrosstieError(.invalidArgument, "\(name) is NULL or misaligned", at: "options.\(name)")
    }
    guard (1...count).contains(list.count) else {
        throw CrosstieError(.limitExceeded, "\(name) has over \(count) entries", at: "options.\(name)")
    }
    var texts: [String] = []
    for (index, item) in UnsafeBufferPointer(start: items, count: list.count).enumerated() {
        do throws(CrosstieError) {
            texts.append(try string(item, named: "an entry", limit: limit))
        } catch {
            throw CrosstieError(error.status, error.message, at: "options.\(name)[\(index)]")
        }
    }
    return texts
}

/// The same as a Swift string, for what is not on a hot path.
func string(_ argument: ctie_str, named name: StaticString, limit: Int) throws(CrosstieError) -> String {
    String(decoding: try text(argument, named: name, limit: limit), as: UTF8.self)
}
