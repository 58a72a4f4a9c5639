internal import CPlatform

/// The rules for every byte of a URL, at any position.
struct URLBytes {
    /// Bytes that the normal form does not hold as they are, and the percent signs of escapes.
    private(set) var odd = 0
    private(set) var escapes = 0

    /// The bytes of area that reading a URL of this length takes.
    func area(for count: Int) -> Int {
        // The normal form escapes each odd byte and may add `//` and `/`. Behind it: host as written and path,
        // no longer than they were; the query's pairs, which two end marks each may double.
        3 * count + 2 * odd + URLLimits.slack + 16
    }

    /// Checks length, forbidden bytes, UTF-8 and escapes.
    init(checking input: UnsafeRawBufferPointer) throws(ParseFailure) {
        guard !input.isEmpty else { throw ParseFailure(.empty, at: 0) }
        guard input.count <= URLLimits.url else { throw ParseFailure(.tooLong, at: URLLimits.url) }
        var at = 0
        while true {
            at += Self.plainRun(input, from: at, to: input.count)
            guard at < input.count else { return }
            let next = try Self.checkOdd(input, at)
            if input[at] == 0x25 { escapes += 1 }
            odd += next - at
            at = next
        }
    }

    /// Checks what begins with an odd byte; returns the position behind it.
    private static func checkOdd(_ input: UnsafeRawBufferPointer, _ at: Int) throws(ParseFailure) -> Int {
        let byte = input[at]
        if byte >= 0x80 { return try checkCharacter(input, at) }
        if byte < 0x21 || byte == 0x7F || byte == 0x5C { throw ParseFailure(.forbiddenByte, at: at) }
        guard byte == 0x25 else { return at + 1 }
        guard at + 2 < input.count, let value = escape(input, at) else { throw ParseFailure(.escape, at: at) }
        guard value != 0 else { throw ParseFailure(.nul, at: at) }
        return at + 3
    }

    private static func checkCharacter(_ input: UnsafeRawBufferPointer, _ start: Int) throws(ParseFailure) -> Int {
        var validator = UTF8Validator()
        var at = start
        repeat {
            guard at < input.count, validator.take(input[at]) else { throw ParseFailure(.utf8, at: start) }
            at += 1
        } while !validator.isComplete
        return at
    }

    /// The number of bytes from `start` on that the normal form holds as they are.
    @inline(__always)
    static func plainRun(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        guard start < end, let base = bytes.baseAddress else { return 0 }
        return cp_plain_run((base + start).assumingMemoryBound(to: UInt8.self), end - start)
    }

    /// The byte that the escape at `at` stands for. Two more bytes have to be there.
    @inline(__always)
    static func escape(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt8? {
        let (high, low) = (ASCII.hexValue(bytes[at + 1]), ASCII.hexValue(bytes[at + 2]))
        return high < 16 && low < 16 ? high << 4 | low : nil
    }

    /// The decoded byte at a position of checked text, and the position behind it.
    @inline(__always)
    static func decoded(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> (byte: UInt8, next: Int) {
        guard bytes[at] == 0x25, at + 2 < bytes.count, let value = escape(bytes, at) else { return (bytes[at], at + 1) }
        return (value, at + 3)
    }
}
