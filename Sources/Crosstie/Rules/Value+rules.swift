// Checks on one value of a document.

extension Value {
    func object() throws(CrosstieError) -> ValueMap {
        guard let map = mapValue else { throw mismatch("an object") }
        return map
    }

    func list() throws(CrosstieError) -> [Value] {
        guard let list = listValue else { throw mismatch("a list") }
        return list
    }

    func text() throws(CrosstieError) -> String {
        guard let text = stringValue else { throw mismatch("a text") }
        return text
    }

    func flag() throws(CrosstieError) -> Bool {
        guard let flag = boolValue else { throw mismatch("true or false") }
        return flag
    }

    /// A text that is not empty, has no control bytes, and is not too long.
    func label(atMost limit: Int) throws(CrosstieError) -> String {
        let text = try text()
        guard !text.isEmpty else { throw CrosstieError(.invalidFormat, "the text is empty") }
        guard text.utf8.count <= limit else { throw CrosstieError(.limitExceeded, "the text is over \(limit) bytes") }
        guard !text.utf8.contains(where: ASCII.isControl) else {
            throw CrosstieError(.invalidFormat, "the text holds a control character")
        }
        return text
    }

    private func mismatch(_ wanted: String) -> CrosstieError {
        CrosstieError(.invalidFormat, "this must be \(wanted), not \(kindName)")
    }

    /// The kind of a value with its article, in the words of JSON.
    var kindName: StaticString {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .double: "a number"
        case .string: "a text"
        case .list: "a list"
        case .bytes: "bytes"
        default: "an object"
        }
    }
}
