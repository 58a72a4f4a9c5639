@testable import Crosstie

/// A rule document: one that is taken can be written and read again, fits into a table, is found by its indexes, and
/// makes URLs that give their parameters back.
enum RulesTarget {
    /// For documents in the older form.
    private static let options = RuleLoadOptions(
        publicSchemes: ["app"], privateSchemes: ["app-int"], routeHosts: ["route"], webHosts: ["m.example"])

    static func run(_ input: UnsafeRawBufferPointer) {
        do throws(CrosstieError) {
            let document = try RuleDocument.read(input, options: options)
            checkAgain(document)
            checkRows(document)
            for index in document.rules.indices { checkRule(document, index) }
        } catch {
            demand(error.status != .ok && !error.message.isEmpty, "an error without words")
        }
    }

    /// The document as JSON is the same document, and needs no options.
    private static func checkAgain(_ document: RuleDocument) {
        do throws(CrosstieError) {
            let text = try document.value.json()
            let again = try Array(text.utf8).withRawBytes { bytes throws(CrosstieError) in
                try RuleDocument.read(bytes)
            }
            demand(again.value == document.value, "read again it is \(again.value)")
            demand(try again.value.json() == text, "the second time it is written differently")
        } catch {
            demand(false, "what was read is refused: \(error)")
        }
    }

    /// No two rows are in each other's way, and in a table of them each demo reaches its rule.
    private static func checkRows(_ document: RuleDocument) {
        guard let table = FuzzedTable() else { return }
        let rows = Array(document.patterns)
        demand(rows.count == document.patternCount, "\(document.patternCount) rows are \(rows.count)")
        for row in rows {
            let parsed = Array(row.pattern.utf8).withUnsafeBytes { try? Pattern($0) }
            guard let pattern = parsed else { return demand(false, "\(row.pattern) is no pattern") }
            table.insert(pattern)
        }
        demand(table.routes.count == rows.count, "\(rows.count) rows are \(table.routes.count) routes")
        for (index, rule) in document.rules.enumerated() {
            guard let demo = rule.demo else { continue }
            let reached = table.check(FuzzedURL(Array(demo.utf8))).first
            let row = reached.map { rows[Int($0.value) - 1].rule }
            demand(row == index, "the demo \(demo) of rule \(index) reaches rule \(row ?? -1)")
        }
    }

    private static func checkRule(_ document: RuleDocument, _ index: Int) {
        let rule = document.rules[index]
        demand(document.index(ofId: rule.id) == index, "rule \(index) is not found by its id")
        demand(document.indices(ofHost: rule.host).contains(index), "rule \(index) is not found by its host")
        if let target = rule.target, let first = document.index(ofTarget: target) {
            demand(first <= index && document.rules[first].target == target, "rule \(index) is not found by its target")
        }
        guard let path = try? rule.parsedPath(), let samples = samples(rule, path) else { return }
        for (isPublic, web) in [(true, false), (false, false), (true, true)] {
            do throws(CrosstieError) {
                let url = try document.url(id: rule.id, parameters: samples, isPublic: isPublic, web: web)
                checkOpened(url, rule, path, samples)
            } catch {
                demand(
                    error.status == .notFound || error.status == .limitExceeded
                        || path.segments.contains { $0.kind == .skip },
                    "\(rule.path) refuses \(samples): \(error)")
            }
        }
    }

    /// A value for every parameter that the rule declares or its path captures; nil where there is none.
    private static func samples(_ rule: Rule, _ path: Pattern) -> ValueMap? {
        let texts = ["7", "-7", "1.5", "true", "123e4567-e89b-12d3-a456-426614174000", "w-1", "ä b&c=d"]
        var samples = ValueMap()
        for segment in path.segments where segment.captures {
            samples[path.string(segment.name)] = .string("")
        }
        for parameter in rule.parameters { samples[parameter.name] = .string("") }
        for (name, _) in samples {
            let segment = path.segments.first { $0.captures && path.string($0.name) == name }
            let declared = rule.parameters.first { $0.name == name }
            // A float is written with a fraction or exponent, which a path's integer never has.
            if declared?.type == .float, segment?.type == .int || segment?.type == .uint { return nil }
            let fitting = texts.lazy.map { Array($0.utf8) }.compactMap { text in
                text.withUnsafeBytes { text -> Value? in
                    guard segment?.type.accepts(text) ?? true else { return nil }
                    guard let declared else { return .string(String(decoding: text, as: UTF8.self)) }
                    return declared.type.value(of: text)
                }
            }
            guard let sample = fitting.first else { return nil }
            samples[name] = sample
        }
        return samples
    }

    /// The URL has the parameters that it was made with.
    private static func checkOpened(_ text: String, _ rule: Rule, _ path: Pattern, _ samples: ValueMap) {
        let url = FuzzedURL(Array(text.utf8))
        demand(url.isParsed, "\(rule.path) makes \(text), which is \(url.result)")
        let captures = Array("app://\(rule.host)\(rule.path)".utf8).withUnsafeBytes { try? Pattern($0) }
            .flatMap { pattern in
                let tail = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).last ?? ""
                return Matching.captures(pattern, FuzzedURL(Array("app://\(rule.host)/\(tail)".utf8)))
            }
        guard let captures else { return demand(false, "\(rule.path) makes \(text), which it does not match") }
        var opened: [String: [UInt8]] = [:]
        for pair in url.pairs { opened[String(decoding: pair.key, as: UTF8.self)] = pair.value }
        for (name, capture) in zip(path.parameterNames, captures) { opened[name] = capture }
        for parameter in rule.parameters {
            let value = opened[parameter.name].flatMap { $0.withUnsafeBytes { try? parameter.convert($0) } }
            demand(value == samples[parameter.name], "\(parameter.name) of \(text) is \(value ?? .null)")
        }
    }
}
