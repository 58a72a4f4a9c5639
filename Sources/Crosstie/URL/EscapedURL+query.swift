/// Query and fragment.
extension EscapedURL {
    /// Decodes all pairs: `key NUL value NUL …`.
    @inline(__always)
    mutating func query() -> Bool {
        guard at < count, bytes[at] == 0x3F else { return true }
        guard delimiter() else { return false }
        let size = count &- at
        // A pair without a value gets a mark more, and so may the last one.
        guard decodedEnd &+ size &+ size / 2 &+ 2 <= limit else { return false }
        let (begin, decodedBegin) = (at &- shift, decodedEnd)
        (decodes, hasEscape) = (true, false)
        guard pairs() else { return false }
        decodes = false
        parts.pointee.query = SegmentRange(from: begin, to: at &- shift)
        parts.pointee.flags.insert(.query)
        if hasEscape {
            parts.pointee.decodedQuery = SegmentRange(from: decodedBegin, to: decodedEnd)
            parts.pointee.flags.insert(.decodedQuery)
        } else {
            decodedEnd = decodedBegin
        }
        return true
    }

    @inline(__always)
    private mutating func pairs() -> Bool {
        var stops = StopScan(bytes, from: at, to: count, (0x26, 0x3D, 0x23))
        var (pairs, start, isValue) = (0, at, false)
        while true {
            let stop = stops.next()
            let byte = stop < count ? bytes[stop] : 0x23
            // Further ones belong to the value.
            if byte == 0x3D, isValue { continue }
            guard take(upTo: stop) else { return false }
            switch byte {
            case 0x25:
                guard pairEscape() else { return false }
                continue
            case 0x3D:
                putDecoded(0)
                isValue = true
            case 0x26, 0x23:
                if stop > start {
                    endPair(isValue)
                    pairs &+= 1
                }
                if byte == 0x23 { return characters.isComplete && pairs <= URLLimits.pairs }
                (start, isValue) = (stop &+ 1, false)
            default: return false
            }
            guard delimiter() else { return false }
        }
    }

    @inline(__always)
    private mutating func pairEscape() -> Bool {
        let byte = escapedByte
        return characters.take(byte) && escape(byte)
    }

    @inline(__always)
    private mutating func endPair(_ hasValue: Bool) {
        if !hasValue { putDecoded(0) }
        putDecoded(0)
    }

    /// Its escapes are not decoded.
    @inline(__always)
    mutating func fragment() -> Bool {
        guard at < count else { return true }
        guard delimiter() else { return false }
        let begin = at &- shift
        var stops = StopScan(bytes, from: at, to: count, (0x23, 0x23, 0x23))
        while true {
            let stop = stops.next()
            guard take(upTo: stop) else { return false }
            guard stop < count else { break }
            guard bytes[stop] == 0x25, escape(escapedByte) else { return false }
        }
        parts.pointee.fragment = SegmentRange(from: begin, to: count &- shift)
        parts.pointee.flags.insert(.fragment)
        return true
    }
}
