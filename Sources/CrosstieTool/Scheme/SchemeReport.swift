import Crosstie

/// The output of the commands below `crosstie scheme`: lines for people, or an object of JSON in each line.
struct SchemeReport {
    let isJSON: Bool

    /// A file that was written, removed, or left as it is.
    func file(_ action: String, _ path: String, content: [UInt8]? = nil) throws {
        guard isJSON else {
            try Output.field(action, path.quoted())
            guard let content else { return }
            for line in content.linesWithEnds {
                let text = String(decoding: line, as: UTF8.self)
                try Output.line("    " + (text.hasSuffix("\n") ? String(text.dropLast()) : text).harmless)
            }
            return
        }
        var fields: [(String, Value)] = [
            ("event", .string("file")), ("action", .string(action)), ("path", .string(path)),
        ]
        if let content { fields.append(("content", .string(String(decoding: content, as: UTF8.self)))) }
        try Output.json(ValueMap(fields))
    }

    /// The answer of a tool to the question which application opens a scheme.
    func check(_ scheme: String, by tool: String, found: String, isRight: Bool) throws {
        guard isJSON else {
            let answer = found.isEmpty ? "nothing" : found.harmless
            return try Output.field(isRight ? "right" : "wrong", "\(scheme): \(tool) finds \(answer)")
        }
        try Output.json(
            ValueMap([
                ("event", .string("check")), ("scheme", .string(scheme)), ("tool", .string(tool)),
                ("found", .string(found)), ("right", .bool(isRight)),
            ]))
    }

    /// The end of a URL that was opened by a tool.
    func attempt(_ scheme: String, by tool: String, problem: String?) throws {
        guard isJSON else {
            let end = problem.map { $0.harmless } ?? "the URL arrived"
            return try Output.field(problem == nil ? "right" : "wrong", "\(scheme): \(tool): \(end)")
        }
        try Output.json(
            ValueMap([
                ("event", .string("try")), ("scheme", .string(scheme)), ("tool", .string(tool)),
                ("problem", .string(problem ?? "")), ("right", .bool(problem == nil)),
            ]))
    }

    /// A pitfall, on stderr; with JSON on stdout, too.
    func warn(_ warning: SchemeWarning) throws {
        Output.complain("warning: \(warning.text)")
        guard isJSON else { return }
        try Output.json(
            ValueMap([
                ("event", .string("warning")), ("kind", .string(warning.kind.rawValue)),
                ("message", .string(warning.text)),
            ]))
    }

    /// A line for a sandbox's manifest.
    func manifest(_ line: String) throws {
        guard isJSON else { return try Output.line(line) }
        try Output.json(ValueMap([("event", .string("manifest")), ("line", .string(line))]))
    }
}
