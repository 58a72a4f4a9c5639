import Testing

@testable import Crosstie

/// Random documents and URLs.
@Suite struct RulePropertyTests {
    @Test func documentsComeBackWhole() throws {
        var random = SplitMix(state: 21)
        var rules = 0
        for _ in 0..<150 {
            let source = Value.randomRules(using: &random)
            let document = try readRules(source)
            rules += document.rules.count
            let text = try document.value.json()
            let again = try readRules(document.value.json(pretty: true))
            #expect(try again.value.json() == text)
            #expect(try readRules(source).value.json() == text)
            #expect(Array(again.patterns) == Array(document.patterns))
            #expect(again.rules.map(\.value) == document.rules.map(\.value))
        }
        #expect(rules > 500)
    }

    /// Every row can be registered, and none has the shape of another.
    @Test func rowsFitIntoOneTable() throws {
        var random = SplitMix(state: 22)
        for _ in 0..<60 {
            let document = try readRules(Value.randomRules(using: &random))
            let table = try RouteFixture()
            for row in document.patterns { #expect(try table.add(row.pattern) == .inserted, "\(row.pattern)") }
            #expect(table.patterns.count == document.patternCount)
        }
    }

    /// Opening a generated URL reaches the rule with the same parameters, or a rule that is more precise.
    @Test func generatedURLsBringTheirParameters() throws {
        var random = SplitMix(state: 23)
        var (generated, reached) = (0, 0)
        for _ in 0..<150 {
            let document = try readRules(Value.randomRules(using: &random))
            let opener = try RuleOpener(document)
            for index in document.rules.indices {
                let given = document.rules[index].randomParameters(using: &random)
                let web = Bool.random(using: &random) && document.rules[index].hasWebLinks
                guard let url = try? document.url(id: document.rules[index].id, parameters: given, web: web) else {
                    continue
                }
                generated += 1
                guard let opened = try opener.open(url), opened.rule == index else { continue }
                reached += 1
                for (name, value) in given { #expect(opened.values[name] == value, "\(url)") }
            }
        }
        #expect(generated > 300 && reached > generated / 2)
    }

    /// Every truncation and every flipped bit gives a document or an error.
    @Test func damagedDocumentsAreReadOrRefused() throws {
        let source = Value.document([
            .rule("a", "/a/:id<int>", ["params": ["id": "uint", "k": ["type": "float", "default": 1.5]]]),
            .rule("b", "/b/*r", ["host": "", "targets": ["linux": "é"], "x-n": [1, nil], "demo": "app:/b/c?d"]),
        ])
        let text = Array(try source.json().utf8)
        var read = 0
        for offset in text.indices {
            for bit in 0..<8 as Range<UInt8> {
                var changed = text
                changed[offset] ^= 1 << bit
                guard let document = try? readRules(changed) else { continue }
                read += 1
                #expect(try readRules(document.value).value == document.value)
            }
            #expect(throws: CrosstieError.self) { try readRules(text[..<offset]) }
        }
        #expect(read > 100)
    }
}

/// Opens URLs over the rows of a document, without a bus.
private final class RuleOpener {
    private let document: RuleDocument
    private let table = try? RouteFixture()
    private var rows: [RulePattern] = []

    init(_ document: RuleDocument) throws {
        self.document = document
        for row in document.patterns {
            rows.append(row)
            _ = try table?.add(row.pattern)
        }
    }

    func open(_ text: String) throws -> (rule: Int, values: ValueMap)? {
        let url = ParsedURL(text)
        guard url.result == .parsed, let (match, captures) = table?.result(url), match.outcome == .found else {
            return nil
        }
        let row = rows[Int(match.value) - 1]
        let names = try makePattern(row.pattern).parameterNames
        var texts = ValueMap(zip(names, captures.map(Value.string)).map { ($0, $1) })
        for pair in url.namedPairs where texts[pair.name] == nil { texts[pair.name] = .string(pair.value) }
        let rule = document.rules[row.rule]
        var values = texts
        for parameter in rule.parameters {
            guard let text = texts[parameter.name]?.stringValue else { continue }
            values[parameter.name] = try Array(text.utf8).withRawBytes { bytes throws(CrosstieError) in
                try parameter.convert(bytes)
            }
        }
        return (row.rule, values)
    }
}

extension ParsedURL {
    fileprivate var namedPairs: [NamedText] {
        var query = Query(of: parts)
        var pairs: [NamedText] = []
        while let pair = query.next() { pairs.append((text(pair.key), text(pair.value))) }
        return pairs
    }
}
