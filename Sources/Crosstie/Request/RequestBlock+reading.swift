/// The text of a request, which lives as long as the request.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    package typealias Text = UnsafeRawBufferPointer

    /// The text of a parameter: the path's, else the query's.
    package func parameter(_ name: Text) -> Result<Text, Status> { parameter(name, in: pointee.pattern) }

    /// The same by the names of a pattern.
    func parameter(_ name: Text, in pattern: PatternInfo?) -> Result<Text, Status> {
        guard pointee.kind == .open else { return namedText(name) }
        if let position = pattern?.position(of: name), position < Int(pointee.captureCount) {
            return .success(pointee.parts.text(captures[position]))
        }
        let (count, first) = pointee.parts.query(name)
        guard count < 2 else { return .failure(.duplicateKey) }
        return count == 1 ? .success(pointee.parts.text(first)) : .failure(.notFound)
    }

    package func pathParameter(at position: Int) -> (name: Text, text: Text)? {
        guard let pattern = pointee.pattern, position >= 0,
            position < min(pattern.nameCount, Int(pointee.captureCount))
        else { return nil }
        return (pattern.name(position), pointee.parts.text(captures[position]))
    }

    package func queryPair(at position: Int) -> (key: Text, text: Text)? {
        guard pointee.kind == .open, position >= 0, position < URLLimits.pairs else { return nil }
        let slot = ThreadSlot.current
        let (request, rewrites) = (pointee.header.handle(.request).bits, pointee.extras?.rewrites ?? 0)
        var cursor = slot.pointee.queryCursor
        if !cursor.leads(to: position, of: request, rewrites) {
            cursor = QueryCursor(request: request, rewrites: rewrites)
        }
        var pairs = Query(of: pointee.parts, from: cursor.offset)
        for _ in cursor.position..<position { guard pairs.next() != nil else { return nil } }
        guard let pair = pairs.next() else { return nil }
        (cursor.position, cursor.offset) = (position + 1, pairs.offset)
        slot.pointee.queryCursor = cursor
        return (pointee.parts.text(pair.key), pointee.parts.text(pair.value))
    }

    /// A part of the URL in its normal form; nil for a query or fragment that is not there.
    package func urlPart(_ part: URLPart) -> Text? {
        guard pointee.kind == .open else { return nil }
        let parts = pointee.parts
        switch part {
        case .whole: return parts.text(parts.normalForm)
        case .scheme: return parts.text(parts.scheme)
        case .host: return parts.text(parts.host)
        case .path: return parts.text(parts.path)
        case .query: return parts.flags.contains(.query) ? parts.text(parts.query) : nil
        case .fragment: return parts.flags.contains(.fragment) ? parts.text(parts.fragment) : nil
        }
    }
}
