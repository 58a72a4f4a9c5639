// The location of an error in a value, written from the inside out while the error propagates.

extension CrosstieError {
    /// This error, its location one step further out.
    func under(key: UnsafeRawBufferPointer) -> CrosstieError {
        CrosstieError(status, message, at: pathStep(key) + location)
    }

    /// This error, its location one step further out.
    func under(index: Int) -> CrosstieError { CrosstieError(status, message, at: "[\(index)]" + location) }

    /// This error, its location a whole path.
    func underRoot() -> CrosstieError { CrosstieError(status, message, at: "$" + location) }
}

/// A key as a step of a path: `.name`, or `["a key"]` when it is no plain name. Long keys are cut.
private func pathStep(_ key: UnsafeRawBufferPointer) -> String {
    let isName = key.first.map(isLetter) == true && key.allSatisfy { isLetter($0) || isDigit($0) }
    let text = String(decoding: key.prefix(64), as: UTF8.self) + (key.count > 64 ? "…" : "")
    return isName ? ".\(text)" : "[\(text.debugDescription)]"
}
