/// True when the bytes are well-formed UTF-8.
package func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let rest = bytes.dropFirst(asciiBlocks(bytes))
    guard !rest.isEmpty else { return true }
    return UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) { tail in
        (try? UTF8Span(validating: tail.span)) != nil
    }
}

/// How many bytes at the start are ASCII for sure, in blocks of eight: most text is, to its end.
private func asciiBlocks(_ bytes: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while offset &+ 8 <= bytes.count {
        let block = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        guard block & 0x8080_8080_8080_8080 == 0 else { return offset }
        offset &+= 8
    }
    return offset
}
