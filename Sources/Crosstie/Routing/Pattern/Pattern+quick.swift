/// URLs of usual patterns and values, made of the values where they are: without a string, an array or a dictionary.
extension Pattern {
    /// The same as ``generate(named:query:)`` and ``generate(positional:query:)``, as a string value, which is owned. Nil for
    /// whatever is not usual or not allowed: then those make the URL, or say what is wrong.
    ///
    /// - Parameters:
    ///   - parameters: a map, a list or null; borrowed, like `query`.
    ///   - query: a map or null.
    func quickURL(_ parameters: ValueRef, query: ValueRef) -> ValueRef? {
        guard let host = segments.first, host.kind == .literal, query.kind == .null || query.kind == .map
        else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { room -> ValueRef? in
            var url = QuickURLText(room)
            addScheme(to: &url)
            guard addSegments(parameters, to: &url), Self.add(query: query, to: &url), url.fits,
                URLText.failure(url.bytes) == nil
            else { return nil }
            return try? ValueRef.string(validated: url.bytes)
        }
    }

    private func addScheme(to url: inout QuickURLText) {
        text.withUnsafeBytes { url.append(UnsafeRawBufferPointer(rebasing: $0.prefix(schemeLength))) }
        url.append(0x3A)
        url.append(0x2F)
        url.append(0x2F)
    }

    /// False for a segment that is not usual, and unless each parameter has its value and each value its parameter.
    private func addSegments(_ parameters: ValueRef, to url: inout QuickURLText) -> Bool {
        storage.withUnsafeBytes { storage -> Bool in
            var position = 0
            for (index, segment) in segments.enumerated() {
                let literal = Self.slice(storage, segment.literal)
                guard index > 0 else {
                    url.append(literal)
                    continue
                }
                url.append(0x2F)
                if segment.captures {
                    let name = Self.slice(storage, segment.name)
                    guard let value = Self.value(of: name, at: position, in: parameters),
                        Self.add(value, for: segment, before: literal, to: &url)
                    else { return false }
                    position &+= 1
                } else if segment.kind != .literal {
                    return false
                }
                url.append(literal) { URLText.isSegmentText($0) && !PatternParser.isReserved($0) }
            }
            if segments.count == 1 { url.append(0x2F) }
            return position == parameters.count && (position > 0 || parameters.isWithoutItems)
        }
    }

    private static func slice(_ storage: UnsafeRawBufferPointer, _ range: SegmentRange) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: storage[Int(range.offset)..<range.end])
    }

    private static func value(
        of name: UnsafeRawBufferPointer, at position: Int, in parameters: ValueRef
    ) -> ValueRef? {
        parameters.kind == .list ? parameters.item(at: position) : parameters.value(for: name)
    }

    private static func add(
        _ value: ValueRef, for segment: PatternSegment, before literal: UnsafeRawBufferPointer,
        to url: inout QuickURLText
    ) -> Bool {
        guard segment.kind != .rest, segment.kind != .any, segment.type != .uuid, segment.type != .any
        else { return false }
        return withText(of: value) { text in
            // Texts of one or two bytes may make a segment of dots.
            guard text.count &+ literal.count > 2 || !text.contains(0x2E), segment.type.accepts(text),
                !text.contains(where: ASCII.isControl)
            else { return false }
            url.append(text, plain: URLText.isSegmentText)
            return true
        }
    }

    private static func add(query: ValueRef, to url: inout QuickURLText) -> Bool {
        guard query.kind == .map else { return true }
        for (index, entry) in query.entries.enumerated() {
            url.append(index == 0 ? 0x3F : 0x26)
            url.append(query.key(of: entry), plain: ASCII.isUnreserved)
            url.append(0x3D)
            let isUsual = withText(of: entry.value) { text in
                url.append(text, plain: ASCII.isUnreserved)
                return true
            }
            guard isUsual else { return false }
        }
        return true
    }

    /// Calls `body` with the text of a string or an integer. False for another kind.
    private static func withText(of value: ValueRef, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        if let text = value.stringBytes { return body(text) }
        guard let number = value.intValue else { return false }
        var text = String(number)
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension ValueRef {
    /// Whether it is null, or a list or map without an item.
    fileprivate var isWithoutItems: Bool { kind == .null || ((kind == .list || kind == .map) && count == 0) }
}
