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
        var pairs = Query(of: pointee.parts)
        for _ in 0..<position { guard pairs.next() != nil else { return nil } }
        guard let pair = pairs.next() else { return nil }
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

/// The parameters of a request, converted to values.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// All parameters by name, each as the value of its type: the path's, then the query's that the path does not
    /// have. Several of one key are a list; a rule's defaults replace those that are missing.
    ///
    /// For a request without a URL: the caller's parameters.
    package var convertedParameters: ValueMap {
        guard pointee.kind == .open else { return Value(borrowing: plainParams).mapValue ?? ValueMap() }
        let declared = declaredValues
        var map = pathValues(declared)
        let captured = map
        for (name, texts) in queryTexts where captured[name] == nil {
            map[name] = texts.count == 1 ? .string(texts[0]) : .list(texts.map(Value.string))
        }
        for (name, value) in declared where captured[name] == nil && !isCapturedByRule(name) { map[name] = value }
        return map
    }

    /// The rule's arguments, by the rule's names.
    private var declaredValues: ValueMap {
        guard let rule = pointee.rule, let values = try? RuleCheck.values(of: self, rule) else { return ValueMap() }
        return values
    }

    /// The path's parameters under the names of the pattern that matched: a route behind a rule has its own.
    private func pathValues(_ declared: ValueMap) -> ValueMap {
        var map = ValueMap()
        while let (name, text) = pathParameter(at: map.count) {
            let position = map.count
            let type = pointee.pattern?.type(position) ?? .string
            let byRule = ruleName(at: position).flatMap { declared[$0] }
            map[String(decoding: name, as: UTF8.self)] =
                byRule ?? type.value(of: text) ?? .string(String(decoding: text, as: UTF8.self))
            // Two names are never the same, but the loop must end in any case.
            guard map.count > position else { break }
        }
        return map
    }

    private func ruleName(at position: Int) -> String? {
        guard let pattern = pointee.rule?.pattern, position < pattern.nameCount else { return nil }
        return String(decoding: pattern.name(position), as: UTF8.self)
    }

    private func isCapturedByRule(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return bytes.withUnsafeBytes { pointee.rule?.pattern.position(of: $0) } != nil
    }

    /// The texts of each key of the query, in the order of the keys' first pairs.
    private var queryTexts: [(name: String, texts: [String])] {
        var found: [(name: String, texts: [String])] = []
        var places: [String: Int] = [:]
        var pairs = Query(of: pointee.parts)
        while let pair = pairs.next() {
            let name = String(decoding: pointee.parts.text(pair.key), as: UTF8.self)
            let text = String(decoding: pointee.parts.text(pair.value), as: UTF8.self)
            if let place = places[name] {
                found[place].texts.append(text)
            } else {
                places[name] = found.count
                found.append((name, [text]))
            }
        }
        return found
    }

    /// All texts of a key of the query.
    package func queryTexts(of key: Text) -> [Value] {
        guard pointee.kind == .open else { return [] }
        var texts: [Value] = []
        var pairs = Query(of: pointee.parts)
        while let pair = pairs.next() {
            guard equalBytes(pointee.parts.text(pair.key), key) else { continue }
            texts.append(.string(String(decoding: pointee.parts.text(pair.value), as: UTF8.self)))
        }
        return texts
    }

    /// The part of the path that a route in nearest mode did not match: from its slash on, in the normal form.
    package var unmatchedPath: Text {
        guard pointee.kind == .open else { return .empty }
        let parts = pointee.parts
        let matched = Int(pointee.matchedSegments)
        let path = parts.text(parts.path)
        guard pointee.isNearest, matched > 0, matched <= Int(parts.segmentCount) else { return .empty }
        var slashes = 0
        for (at, byte) in path.enumerated() where byte == 0x2F {
            slashes += 1
            if slashes == matched { return UnsafeRawBufferPointer(rebasing: path[at...]) }
        }
        return .empty
    }
}
