/// Reads the entries of one object of a document, in their order.
///
/// Errors carry the location within the object; each level on the way out writes its own step before it.
protocol RuleFields {
    /// The kind of the object, for messages: "a rule".
    static var what: StaticString { get }
    /// Receives `comment` and the keys that begin with `x-`.
    var notes: ValueMap { get set }

    /// Takes one entry; false when there is no such key.
    mutating func take(_ value: Value, for key: String) throws(CrosstieError) -> Bool
}

extension RuleFields {
    /// Takes all entries of an object; the first that is wrong throws.
    mutating func take(all object: Value) throws(CrosstieError) {
        for (key, value) in try object.object() {
            guard !isNote(key) else {
                notes[key] = value
                continue
            }
            do throws(CrosstieError) {
                guard try take(value, for: key) else {
                    throw CrosstieError(.invalidFormat, "\(Self.what) has no key \(Quotation.quoted(key))")
                }
            } catch {
                throw error.inside(key)
            }
        }
    }

    /// The error for a key that has to be there, unless the other one is.
    func missing(_ key: String, or other: String? = nil) -> CrosstieError {
        let alternative = other.map { " or '\($0)'" } ?? ""
        return CrosstieError(.invalidFormat, "\(Self.what) needs '\(key)'\(alternative)").inside(key)
    }
}

/// Whether a key is free for notes, at every level of a document.
func isNote(_ key: String) -> Bool { key == "comment" || key.utf8.starts(with: "x-".utf8) }

extension CrosstieError {
    /// This error, its location one step further out.
    func inside(_ key: String) -> CrosstieError { Array(key.utf8).withUnsafeBytes { under(key: $0) } }

    /// This error, its location the path from the document: `rules[3].path`.
    func inDocument() -> CrosstieError {
        CrosstieError(status, message, at: String(location.first == "." ? location.dropFirst() : location[...]))
    }
}
