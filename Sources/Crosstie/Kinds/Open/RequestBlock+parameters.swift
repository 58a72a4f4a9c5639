/// The parameters of a request, converted to values.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// All parameters by name, each as the value of its type: the path's, then the query's that the path does not have.
    /// Several of one key are a list; missing ones get a rule's defaults.
    ///
    /// For a request without a URL these are the arguments of the call.
    package var convertedParameters: ValueMap {
        guard pointee.kind == .open else { return Value(borrowing: plainParams).mapValue ?? ValueMap() }
        let ruleArguments = self.ruleArguments
        var map = pathValues(ruleArguments)
        let captured = map
        for (name, texts) in queryTexts where captured[name] == nil {
            map[name] = texts.count == 1 ? .string(texts[0]) : .list(texts.map(Value.string))
        }
        for (name, value) in ruleArguments where captured[name] == nil && !isCapturedByRule(name) { map[name] = value }
        return map
    }

    /// The values of the arguments that the rule declares, by the rule's names.
    private var ruleArguments: ValueMap {
        guard let rule = pointee.rule, let values = try? RuleCheck.values(of: self, rule) else { return ValueMap() }
        return values
    }

    /// The path's parameters under the names of the pattern that matched: a route behind a rule has its own.
    private func pathValues(_ ruleArguments: ValueMap) -> ValueMap {
        var map = ValueMap()
        while let (name, text) = pathParameter(at: map.count) {
            let position = map.count
            let type = pointee.pattern?.type(position) ?? .string
            let byRule = ruleName(at: position).flatMap { ruleArguments[$0] }
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
        var indices: [String: Int] = [:]
        var pairs = Query(of: pointee.parts)
        while let pair = pairs.next() {
            let name = String(decoding: pointee.parts.text(pair.key), as: UTF8.self)
            let text = String(decoding: pointee.parts.text(pair.value), as: UTF8.self)
            if let index = indices[name] {
                found[index].texts.append(text)
            } else {
                indices[name] = found.count
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

    /// The rest of the path that a route in nearest mode did not match: from its slash on, in the normal form.
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
