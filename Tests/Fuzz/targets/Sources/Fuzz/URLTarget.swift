@testable import Crosstie

/// Any bytes as a URL: what the two parsers make of it is the same, and is what the contract says.
enum URLTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        let careful = FuzzedURL(input, by: .careful)
        compareReadings(careful, input)
        checkForeign(careful, input)
        // A caller's memory: room for a plain URL, and none to spare.
        let whole = FuzzedURL(input, capacity: input.count + URLLimits.slack)
        demand(whole.result == careful.result, "the parser and its careful half differ: \(whole.result)")
        if case .failed(let failure) = careful.result { return check(failure, input) }
        demand(careful.hasSameParts(as: whole), "the parser and its careful half read differently")
        demand(careful.hasSameWrittenHost(as: whole), "the host as written differs")
        checkAccepted(input)
        careful.checkRanges()
        careful.checkNormalForm()
        careful.checkSegments()
        careful.checkPairs()
        checkAgain(careful)
        checkEscaped(careful)
    }

    /// Where the one pass decides, it decides as the careful parser does.
    static func compareReadings(_ careful: FuzzedURL, _ input: UnsafeRawBufferPointer) {
        for spare in [0, 1, input.count, 3 * input.count] {
            let quick = FuzzedURL(
                input, by: .quick, capacity: input.count + URLLimits.slack + spare, growing: false)
            guard quick.isParsed else { continue }
            demand(careful.isParsed, "only the one pass takes it; the careful parser says \(careful.result)")
            demand(careful.hasSameParts(as: quick), "the one pass reads differently: \(shown(quick.normalForm))")
            demand(careful.parts.flags == quick.parts.flags, "the one pass sets other flags: \(quick.parts.flags)")
            demand(careful.hasSameWrittenHost(as: quick), "the one pass has another host as written")
            quick.checkRanges()
        }
    }

    /// A URL that is kept unchanged has the scheme and the host that the careful parser sees, and no harmful
    /// characters.
    private static func checkForeign(_ careful: FuzzedURL, _ input: UnsafeRawBufferPointer) {
        let foreign = FuzzedURL(input, by: .foreign)
        guard foreign.isParsed else { return }
        checkAccepted(input)
        demand(foreign.normalForm.elementsEqual(input), "a foreign URL is not kept as it is")
        demand(!input.contains { [0x22, 0x3C, 0x3E, 0x60].contains($0) }, "a foreign URL ends a quotation")
        let parts = foreign.parts
        for range in [parts.scheme, parts.host, parts.path, parts.query, parts.fragment] {
            demand(range.end <= Int(parts.used), "a range of a foreign URL ends past its text")
        }
        demand(Int(parts.used) + URLLimits.slack <= Int(parts.capacity), "a foreign URL does not fit")
        guard careful.isParsed else { return }
        let same =
            foreign.text(parts.scheme).elementsEqual(careful.text(careful.parts.scheme))
            && foreign.text(parts.host).elementsEqual(careful.text(careful.parts.host))
            && parts.port == careful.parts.port
        demand(same, "a foreign URL is somebody else's for the careful parser")
    }

    private static func check(_ failure: ParseFailure, _ input: UnsafeRawBufferPointer) {
        demand(Int(failure.position) <= input.count, "fails at byte \(failure.position) of \(input.count)")
        let error = failure.error
        demand(error.status != .ok && !error.message.isEmpty && !error.location.isEmpty, "a failure without words")
    }

    /// Characters that are refused at any position.
    private static func checkAccepted(_ input: UnsafeRawBufferPointer) {
        demand(input.count <= URLLimits.url, "takes \(input.count) bytes")
        demand(String(validating: input, as: UTF8.self) != nil, "takes what is not UTF-8")
        for (at, byte) in input.enumerated() {
            demand(byte > 0x20 && byte != 0x7F && byte != 0x5C, "takes the byte \(byte) at \(at)")
            guard byte == 0x25 else { continue }
            let digits = input[at...].dropFirst().prefix(2)
            demand(digits.count == 2 && digits.allSatisfy(Text.isHexDigit), "takes a broken escape at \(at)")
        }
    }

    /// The normal form is its own normal form.
    private static func checkAgain(_ url: FuzzedURL) {
        let again = FuzzedURL(Array(url.normalForm))
        demand(again.isParsed, "the normal form \(shown(url.normalForm)) is refused: \(again.result)")
        demand(again.hasSameParts(as: url), "the normal form \(shown(url.normalForm)) has another")
    }

    /// However its bytes are spelled, a path has the same segments.
    private static func checkEscaped(_ url: FuzzedURL) {
        guard !url.parts.flags.contains(.opaque) else { return }
        var bytes = Array(url.normalForm.prefix(Int(url.parts.path.offset)))
        for index in 0..<url.segmentCount {
            bytes.append(0x2F)
            for byte in url.segment(index) { Text.escape(byte, into: &bytes) }
        }
        let path = url.text(url.parts.path)
        if url.segmentCount == 0 || path.last == 0x2F { bytes.append(0x2F) }
        guard bytes.count <= URLLimits.url else { return }
        let escaped = FuzzedURL(bytes)
        demand(escaped.isParsed, "refuses the same path in escapes: \(shown(bytes)) is \(escaped.result)")
        demand(escaped.hasSameSegments(as: url), "reads the path in escapes differently: \(shown(bytes))")
    }
}

/// The targets' own text functions.
enum Text {
    static func isHexDigit(_ byte: UInt8) -> Bool { hexValue(byte) != nil }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Lower-case digits, which the normal form does not have.
    static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes += String(UInt16(byte) | 0x100, radix: 16).utf8.dropFirst()
    }

    static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexValue),
                let low = rest.dropFirst().first.flatMap(hexValue)
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}
