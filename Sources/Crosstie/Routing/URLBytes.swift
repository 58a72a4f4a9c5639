internal import CPlatform

/// What holds for every byte of a URL, wherever it stands.
enum URLBytes {
    /// Checks length, forbidden bytes, UTF-8 and escapes. Returns the bytes of area that reading it takes.
    static func check(_ input: UnsafeRawBufferPointer) throws(ParseFailure) -> Int {
        guard !input.isEmpty else { throw ParseFailure(.empty, at: 0) }
        guard input.count <= URLLimits.url else { throw ParseFailure(.tooLong, at: URLLimits.url) }
        var validator = UTF8Validator()
        var character = 0
        var odd = 0
        for at in 0..<input.count {
            if validator.isComplete { character = at }
            guard validator.take(input[at]) else { throw ParseFailure(.utf8, at: character) }
            guard cp_is_odd(input[at]) != 0 else { continue }
            odd += 1
            try checkOdd(input, at)
        }
        guard validator.isComplete else { throw ParseFailure(.utf8, at: character) }
        // The normal form escapes each odd byte and may add `//` and `/`. Behind it: host as written and path,
        // no longer than they were; the query's pairs, which two end marks each may double.
        return 3 * input.count + 2 * odd + URLLimits.slack + 16
    }

    private static func checkOdd(_ input: UnsafeRawBufferPointer, _ at: Int) throws(ParseFailure) {
        let byte = input[at]
        if byte < 0x21 || byte == 0x7F || byte == 0x5C { throw ParseFailure(.forbiddenByte, at: at) }
        guard byte == 0x25 else { return }
        guard at + 2 < input.count, let value = escape(input, at) else { throw ParseFailure(.escape, at: at) }
        guard value != 0 else { throw ParseFailure(.nul, at: at) }
    }

    /// The byte that the escape at `at` stands for. Two more bytes have to be there.
    static func escape(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt8? {
        let (high, low) = (ASCII.hexValue(bytes[at + 1]), ASCII.hexValue(bytes[at + 2]))
        return high < 16 && low < 16 ? high << 4 | low : nil
    }

    /// The decoded byte at a place of checked text, and the place behind it.
    static func decoded(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> (byte: UInt8, next: Int) {
        guard bytes[at] == 0x25, at + 2 < bytes.count, let value = escape(bytes, at) else { return (bytes[at], at + 1) }
        return (value, at + 3)
    }
}
