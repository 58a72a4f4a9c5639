extension RuleDocument {
    /// Reads a document in either form.
    ///
    /// The first thing that is wrong is thrown: of the text; then of the document's own keys, in their order; then of
    /// the rules, in theirs; last of the demos.
    ///
    /// - Parameters:
    ///   - json: the text, from anybody. Not kept.
    ///   - options: lists for a document in the older form, and the platform.
    /// - Throws: *invalidFormat*, *duplicateKey*, *invalidUTF8*, *limitExceeded*, *conflict*, *invalidPattern*, *invalidParameter*; of a demo what opening it
    ///   would come to; *invalidArgument* for the options; *outOfMemory*. The location is `rules[3].path`, or line and column.
    package static func read(
        _ json: UnsafeRawBufferPointer, options: RuleLoadOptions = RuleLoadOptions()
    ) throws(CrosstieError) -> RuleDocument {
        let platform = try options.checkedPlatform()
        try RuleText.check(json)
        let document = try value(of: json)
        do throws(CrosstieError) {
            let head = try RuleHead(document)
            if head.isOlder { try options.lists.checkAsOptions() }
            let context = RuleContext(
                isOlder: head.isOlder, lists: head.isOlder ? options.lists : head.lists, platform: platform)
            return try context.document(head)
        } catch {
            throw error.inDocument()
        }
    }

    private static func value(of json: UnsafeRawBufferPointer) throws(CrosstieError) -> Value {
        let ref = try JSON.decode(json)
        defer { ref.release() }
        return Value(borrowing: ref)
    }
}
