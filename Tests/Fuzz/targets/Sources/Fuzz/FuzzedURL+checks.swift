@testable import Crosstie

/// The properties of every parsed URL.
extension FuzzedURL {
    /// Every range is inside the text of the area, with room behind it for loads of 16 bytes.
    func checkRanges() {
        let used = Int(parts.used)
        demand(used + URLLimits.slack <= capacity, "uses \(used) bytes of \(capacity)")
        demand(Int(parts.normalLength) <= min(used, URLLimits.url), "a normal form of \(parts.normalLength) bytes")
        demand(segmentCount <= URLLimits.segments, "\(segmentCount) segments")
        for range in [parts.host, parts.writtenHost, parts.path, parts.query, parts.fragment, parts.decodedQuery] {
            demand(range.end <= used, "a part ends at \(range.end) of \(used)")
        }
        for index in 0...segmentCount {
            demand(ranges[index].end <= used, "segment \(index) ends at \(ranges[index].end) of \(used)")
        }
    }

    /// The parts make up the normal form, and it holds nothing that it should not.
    func checkNormalForm() {
        var whole = Array(text(parts.scheme)) + [0x3A]
        if !parts.flags.contains(.opaque) { whole += [0x2F, 0x2F] + text(parts.host) }
        if parts.port != 0 { whole += [0x3A] + "\(parts.port)".utf8 }
        whole += text(parts.path)
        if parts.flags.contains(.query) { whole += [0x3F] + text(parts.query) }
        if parts.flags.contains(.fragment) { whole += [0x23] + text(parts.fragment) }
        demand(normalForm.elementsEqual(whole), "the parts make \(shown(whole)), not \(shown(normalForm))")
        demand(!text(parts.scheme).isEmpty && text(parts.scheme).allSatisfy(Self.isSchemeByte), "a bad scheme")
        let web = text(parts.scheme).elementsEqual("http".utf8) || text(parts.scheme).elementsEqual("https".utf8)
        demand(web == parts.flags.contains(.web), "wrongly a web URL, or not")
        demand(!web || parts.host.length > 0, "a web URL without a host")
        let host = text(parts.host)
        demand(host.allSatisfy(host.first == 0x5B ? Self.isAddressByte : Self.isHostByte), "a bad host: \(shown(host))")
        for part in [parts.path, parts.query, parts.fragment] { checkText(text(part)) }
    }

    /// Unreserved bytes plain, other escapes in upper case, and no byte that needs one.
    private func checkText(_ text: UnsafeRawBufferPointer) {
        for (at, byte) in text.enumerated() {
            demand(byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}[]#".utf8.contains(byte), "\(byte) in \(shown(text))")
            guard byte == 0x25 else { continue }
            let digits = text[at...].dropFirst().prefix(2)
            let value = Text.decoded(text[at...].prefix(3))
            demand(digits.allSatisfy { $0 < 0x61 } && value.count == 1, "an escape at \(at) of \(shown(text))")
            demand(value.allSatisfy { !Self.isUnreserved($0) }, "a needless escape at \(at) of \(shown(text))")
        }
    }

    /// The segments are those of the path, each decoded once.
    func checkSegments() {
        let path = text(parts.path)
        guard !parts.flags.contains(.opaque) else { return demand(segmentCount == 0, "an opaque path in segments") }
        demand(path.first == 0x2F, "a path without its slash")
        var pieces = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false).map(Text.decoded)
        if pieces.last == [] { pieces.removeLast() }
        demand(pieces.count == segmentCount, "\(segmentCount) segments of \(pieces.count)")
        for (index, piece) in pieces.enumerated() {
            demand(segment(index).elementsEqual(piece), "segment \(index) is \(shown(segment(index)))")
            demand(piece != [0x2E] && piece != [0x2E, 0x2E], "a segment of dots")
            demand(piece.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control byte in segment \(index)")
            demand(String(validating: piece, as: UTF8.self) != nil, "segment \(index) is not UTF-8")
            demand(isEscaped(index) == piece.contains { $0 == 0x2F || $0 == 0x5C }, "slashes in segment \(index)")
        }
        demand(segmentCount == 64 || parts.escapedSlashes >> UInt64(segmentCount) == 0, "slashes past the path")
    }

    /// The pairs are those of the query, each text decoded once; looking one up finds the first of them.
    func checkPairs() {
        let pieces = text(parts.query).split(separator: 0x26)
        let pairs = pairs
        demand(pairs.count == pieces.count && pairs.count <= URLLimits.pairs, "\(pairs.count) pairs")
        for (pair, piece) in zip(pairs, pieces) {
            let sides = piece.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false).map(Text.decoded)
            demand(pair.key == sides[0], "the key \(shown(pair.key)) of \(shown(piece))")
            demand(pair.value == (sides.count > 1 ? sides[1] : []), "the value \(shown(pair.value)) of \(shown(piece))")
            for side in sides {
                demand(!side.contains(0) && String(validating: side, as: UTF8.self) != nil, "bad text in the query")
            }
        }
        for pair in pairs.prefix(3) {
            let found = pair.key.withUnsafeBytes { parts.query($0) }
            let same = pairs.filter { $0.key == pair.key }
            demand(found.count == same.count, "\(found.count) pairs named \(shown(pair.key))")
            demand(same.first.map { text(found.first).elementsEqual($0.value) } == true, "not the first value")
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isHostByte(byte) || byte == 0x7E || (0x41...0x5A).contains(byte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Text.isHexDigit(byte) || [0x3A, 0x5B, 0x5D].contains(byte)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool { isHostByte(byte) || byte == 0x2B }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

/// Two readings of a URL side by side.
extension FuzzedURL {
    func hasSameParts(as other: FuzzedURL) -> Bool {
        let (left, right) = (parts, other.parts)
        return normalForm.elementsEqual(other.normalForm)
            && left.schemeLength == right.schemeLength && left.host == right.host && left.path == right.path
            && left.query == right.query && left.fragment == right.fragment && left.port == right.port
            && left.flags.subtracting(.decodedQuery) == right.flags.subtracting(.decodedQuery)
            && hasSameSegments(as: other)
            && pairs.elementsEqual(other.pairs) { $0.key == $1.key && $0.value == $1.value }
    }

    func hasSameSegments(as other: FuzzedURL) -> Bool {
        segmentCount == other.segmentCount && parts.escapedSlashes == other.parts.escapedSlashes
            && (0...segmentCount).allSatisfy { text(ranges[$0]).elementsEqual(other.text(other.ranges[$0])) }
    }

    func hasSameWrittenHost(as other: FuzzedURL) -> Bool {
        text(parts.writtenHost).elementsEqual(other.text(other.parts.writtenHost))
    }
}
