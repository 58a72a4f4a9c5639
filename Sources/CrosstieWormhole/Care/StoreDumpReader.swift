/// Reads a dump into a new file of a store, and checks it: that it is whole, in order, and that what its lines say is what
/// their bytes mean.
struct StoreDumpReader {
    private(set) var number: UInt64 = 0
    private(set) var sum = StoreSum()
    private(set) var findings: [StoreFinding] = []
    private var line = 0
    private var text = ""

    mutating func read(
        in directory: borrowing GroupDirectory, next: () throws(CrosstieError) -> String?
    ) throws(CrosstieError) -> (StoreBuilder, StoreSettings) {
        let settings = try readHead(next)
        let builder = try StoreBuilder(in: directory, largestSize: settings.largestSize)
        var audit = StoreAudit(number: number)
        while true {
            guard let map = try readLine(next) else { throw refusal("the dump has no end: it was cut") }
            if map["end"] != nil {
                try checkEnd(map)
                break
            }
            try take(map, builder, &audit)
        }
        if try next() != nil {
            line += 1
            throw refusal("something follows the end")
        }
        audit.finish()
        findings = audit.findings
        guard audit.sizes.parts["meta"] != nil else { throw refusal("there is no record of the group's counts") }
        return (builder, settings)
    }

    private mutating func readLine(_ next: () throws(CrosstieError) -> String?) throws(CrosstieError) -> ValueMap? {
        guard let given = try next() else { return nil }
        line += 1
        text = given
        do throws(CrosstieError) {
            guard let map = try Value(json: text).mapValue else { throw refusal("is no map") }
            return map
        } catch {
            guard error.status != .outOfMemory else { throw error }
            throw refusal(error.message)
        }
    }

    private mutating func readHead(_ next: () throws(CrosstieError) -> String?) throws(CrosstieError) -> StoreSettings {
        guard let head = try readLine(next), head["crosstie"] == .string("store") else {
            throw refusal("the input is no dump")
        }
        guard head["format"] == .int(StoreDump.format) else {
            throw CrosstieError(.incompatibleVersion, "the dump is of a form that this library does not read")
        }
        guard let stated = head["number"]?.intValue, stated > 0, stated < Int64(PageLayout.largestCommit),
            let header = head["wakeups"]?.stringValue.flatMap(Base64.decode)
        else { throw refusal("does not describe a store") }
        number = UInt64(stated)
        return try StoreSettings(header: header)
    }

    private mutating func take(
        _ map: ValueMap, _ builder: StoreBuilder, _ audit: inout StoreAudit
    ) throws(CrosstieError) {
        guard let key = map["key"]?.stringValue.flatMap(Base64.decode), !key.isEmpty,
            key.count <= PageLayout.maximumKeySize, let record = map["bytes"]?.stringValue.flatMap(Base64.decode)
        else { throw refusal("has no key, or no bytes") }
        try key.withBytes { key throws(CrosstieError) in
            try record.withBytes { record throws(CrosstieError) in
                try check(map, try StoreDump.line(key, record))
                do throws(CrosstieError) {
                    try builder.put(key, record, isLast: true)
                } catch {
                    throw error.status == .invalidFormat ? refusal(error.message) : error
                }
                sum.take(key, record)
                audit.take(key, record)
            }
        }
    }

    /// Throws unless a line says what its bytes mean.
    private func check(_ map: ValueMap, _ meaning: String) throws(CrosstieError) {
        // Another program may have rewritten it.
        guard text == meaning || (try? Value(json: meaning).mapValue) == map else {
            throw refusal("says something else than its bytes")
        }
    }

    private func checkEnd(_ map: ValueMap) throws(CrosstieError) {
        guard map == StoreDump.end(sum) else { throw refusal("lines before it are missing, or were changed") }
    }

    private func refusal(_ why: String) -> CrosstieError {
        CrosstieError(.invalidFormat, why, at: "line \(line)")
    }
}
