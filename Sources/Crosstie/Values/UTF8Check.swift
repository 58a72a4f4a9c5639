/// True when the bytes are well-formed UTF-8.
package func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let ascii = asciiPrefix(bytes)
    guard ascii < bytes.count else { return true }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[ascii...])
    return rest.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
}

/// The number of bytes at the start that are ASCII: most text is, to its end. Eight at a time, then one by one.
private func asciiPrefix(_ bytes: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while offset &+ 8 <= bytes.count,
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
        offset &+= 8
    }
    while offset < bytes.count, bytes[offset] < 0x80 { offset &+= 1 }
    return offset
}
