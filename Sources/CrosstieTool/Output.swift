import Crosstie
@preconcurrency import Glibc

/// Output to stdout and stderr.
enum Output {
    /// Writes a line without buffering, for readers of a pipe.
    static func line(_ text: String) throws {
        print(text)
        guard fflush(stdout) == 0 else { throw Refusal("stdout: \(String(cString: strerror(errno)))") }
    }

    /// Writes a named part.
    static func field(_ label: String, _ text: String) throws {
        let padding = String(repeating: " ", count: max(1, 10 - label.count))
        try line(label + padding + text)
    }

    /// Writes a pair of texts under a label.
    static func pair(_ label: String, _ name: String, _ value: String) throws {
        try field(label, "\(name.quoted()) = \(value.quoted())")
    }

    /// Writes a map as one line of JSON.
    static func json(_ map: ValueMap) throws { try json(.map(map)) }

    /// Writes a value as one line of JSON.
    static func json(_ value: Value) throws { try line(value.json().harmlessJSON) }

    /// Writes a line to stderr.
    static func complain(_ text: String) { fputs(text.harmless + "\n", stderr) }
}

extension String {
    /// As JSON, which makes spaces, quotes and control bytes visible.
    func quoted() throws -> String { try Value.string(self).json().harmlessJSON }
}

extension Value {
    /// A list of pairs, because names may be repeated.
    init(pairs: [(name: String, value: String)]) {
        self = .list(pairs.map { [.string($0.name), .string($0.value)] })
    }
}
