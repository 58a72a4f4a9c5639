/// One request, as its handler sees it.
///
/// It is valid until the handler returns; ``retain()`` keeps it longer. Used after that, methods throw *invalidHandle*
/// and properties are empty.
public struct Request: Sendable {
    package let handle: Handle

    package init(_ handle: Handle) { self.handle = handle }

    var block: RequestBlock.Pointer? {
        guard case .live(let block) = RequestBlock.request(handle) else { return nil }
        return block
    }

    /// The text of a parameter: the path's, else the query's. Nil when there is none, or several.
    public subscript(name: String) -> String? { try? parameter(name) }

    /// The text of a parameter: the path's, else the query's.
    ///
    /// - Throws: *notFound*; *duplicateKey* (several times in the query); *invalidHandle*.
    public func parameter(_ name: String) throws(CrosstieError) -> String {
        guard let block else { throw CrosstieError(.invalidHandle, "invalid or released request handle") }
        let found = try withBytes(of: name) { bytes throws(CrosstieError) in block.parameter(bytes) }
        switch found {
        case .success(let text): return String(decoding: text, as: UTF8.self)
        case .failure(let status):
            throw CrosstieError(status, "parameter \(Quotation.quoted(name)): \(status.message)", at: name)
        }
    }

    /// The parameters that the pattern captured from the path, in its order.
    public var pathParameters: [(name: String, value: String)] {
        collect { $0.pathParameter(at: $1).map { ($0.name, $0.text) } }
    }

    /// The query's pairs, decoded, in the URL's order; keys that occur twice come twice.
    public var query: [(name: String, value: String)] {
        collect { $0.queryPair(at: $1).map { ($0.key, $0.text) } }
    }

    /// All texts of a key of the query, in the URL's order.
    public func query(all name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    private func collect(
        _ next: (RequestBlock.Pointer, Int) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer)?
    ) -> [(name: String, value: String)] {
        guard let block else { return [] }
        var pairs: [(name: String, value: String)] = []
        while let (name, value) = next(block, pairs.count) {
            pairs.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return pairs
    }

    /// The kind by which it came.
    public var kind: RequestKind { block?.pointee.kind ?? .open }

    /// The component or the performer's target; for a URL the target of the rule by which it came, else empty.
    public var target: String { block?.target.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The action, event or selector; `open` for the target of a rule, else empty.
    public var action: String { block?.action.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// All parameters by name. Without a URL the caller's: a map, an object of Swift, or null.
    ///
    /// For a URL a map: those of the path, then those of the query that the path does not have; of a key that occurs
    /// several times a list. Parameters with a type by the pattern or a rule are converted, a rule's defaults replace
    /// those that are missing, and the rest is text.
    public var params: Value {
        guard let block else { return .map(ValueMap()) }
        return block.pointee.kind.hasURL ? .map(block.convertedParameters) : Value(borrowing: block.swiftParams)
    }

    /// The URL in normal form.
    public var url: String { part(.whole) ?? "" }
    public var scheme: String { part(.scheme) ?? "" }
    /// Lower case; empty when there is none.
    public var host: String { part(.host) ?? "" }
    /// Percent-encoded, as in the normal form.
    public var path: String { part(.path) ?? "" }
    /// Percent-encoded, without the `?`; nil when there is none.
    public var queryText: String? { part(.query) }
    /// Percent-encoded, without the `#`; nil when there is none.
    public var fragment: String? { part(.fragment) }

    private func part(_ part: URLPart) -> String? {
        block?.urlPart(part).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The pattern that matched, as registered.
    public var pattern: String {
        block?.pointee.pattern.map { String(decoding: $0.text, as: UTF8.self) } ?? ""
    }

    /// The part of the path that the route did not match, in nearest mode: from its slash on, percent-encoded.
    public var unmatched: String { block.map { String(decoding: $0.unmatchedPath, as: UTF8.self) } ?? "" }

    /// The rule by which the request came, as in the document and with the target of this platform; nil for none.
    public var rule: Value? { block?.pointee.rule.map { Value(borrowing: $0.value) } }

    /// The origin in force: the caller's, or the lower one of the request it was made in.
    public var origin: Origin { block?.pointee.isLocal == true ? .local : .remote }

    /// The caller's values beside the URL: a map, an object of Swift, or null. No URL can forge it.
    public var userInfo: Value { block.map { Value(borrowing: $0.swiftUserInfo) } ?? .null }

    /// Whether the request has ended: by an answer, a deadline, a cancel or its bus's closing.
    public var hasEnded: Bool { block?.hasEnded ?? true }

    /// Whether nobody waits for an answer any more, which would be dropped: after a cancel, past the deadline, or when
    /// the bus has closed.
    public var isCancelled: Bool { block?.isCancelled ?? true }

    /// The time until the deadline; zero when it has passed, nil when there is none.
    public var timeLeft: Duration? {
        guard let block else { return .zero }
        return block.millisecondsLeft.map { .milliseconds($0) }
    }
}

extension Request {
    /// Ends the request with success and a value.
    ///
    /// - Throws: *alreadyDone* (it has ended; nothing changes); *invalidHandle*; what the value itself is refused for.
    public func reply(_ value: Value) throws(CrosstieError) {
        try Request.check(RequestBlock.reply(handle, try value.makeRef()))
    }

    /// Ends the request with a failure.
    ///
    /// - Throws: *alreadyDone*, *invalidHandle*, *limitExceeded* (a message over 65,536 bytes); what the value is refused for.
    public func fail(_ failure: HandlerFailure) throws(CrosstieError) {
        guard failure.message.utf8.count <= 65_536 else {
            throw CrosstieError(.limitExceeded, "a message is over 65536 bytes")
        }
        let value = try failure.value.makeRef()
        let status = try withBytes(of: failure.message) { text throws(CrosstieError) in
            RequestBlock.fail(handle, code: failure.code, value: value, message: text)
        }
        try Request.check(status)
    }

    /// Ends the request with *denied*: for handlers and interceptors that check permissions.
    ///
    /// - Throws: *alreadyDone*, *invalidHandle*, *limitExceeded* (a message over 65,536 bytes).
    public func deny(_ message: String = "") throws(CrosstieError) {
        guard message.utf8.count <= 65_536 else { throw CrosstieError(.limitExceeded, "a message is over 65536 bytes") }
        let status = try withBytes(of: message) { text throws(CrosstieError) in
            RequestBlock.refuse(handle, .denied, message: text)
        }
        try Request.check(status)
    }

    /// Ends the request with a status of the library: for handlers that stand for others. A resolver or a ``Performer``
    /// that refuses with *noTarget* or *noAction* leaves the request to the performer's fallback.
    ///
    /// - Throws: *invalidArgument* (no error of the list), *alreadyDone*, *invalidHandle*, *limitExceeded* (a message over 65,536 bytes).
    public func refuse(_ status: Status, _ message: String = "") throws(CrosstieError) {
        guard message.utf8.count <= 65_536 else { throw CrosstieError(.limitExceeded, "a message is over 65536 bytes") }
        let refused = try withBytes(of: message) { text throws(CrosstieError) in
            RequestBlock.refuse(handle, status, message: text)
        }
        try Request.check(refused)
    }

    /// In an interceptor: lets the request go on when the interceptor returns nil; for a retained request later, inside
    /// this call.
    ///
    /// - Throws: *alreadyDone* (it goes on or has ended already); *invalidArgument* (no interceptor has it); *invalidHandle*.
    public func proceed() throws(CrosstieError) { try Request.check(RequestBlock.proceed(handle)) }

    /// In an interceptor: lets the request go on with another URL, from the beginning. Its origin stays, or is lowered.
    ///
    /// - Throws: *invalidURL*, *unroutablePath*, *invalidUTF8*, *limitExceeded* (the URL, or the ninth rewrite); *alreadyDone*; *invalidArgument*; *invalidHandle*.
    public func rewrite(_ url: String) throws(CrosstieError) {
        try withBytes(of: url) { bytes throws(CrosstieError) in try RequestBlock.rewrite(handle, bytes) }
    }

    /// Hands the request on to the next best handler, once this one returns nil.
    ///
    /// - Throws: *alreadyDone* (ended or retained); *invalidArgument* (not inside its handler); *invalidHandle*.
    public func decline() throws(CrosstieError) { try Request.check(RequestBlock.decline(handle)) }

    /// Keeps the request beyond the handler's return, to end it later on any thread. When what this returns
    /// goes away without an answer, the request ends with *noReply*.
    ///
    /// - Throws: *invalidHandle*; *limitExceeded* (over 65,535 references).
    public func retain() throws(CrosstieError) -> RetainedRequest {
        try Request.check(RequestBlock.retain(handle))
        return RetainedRequest(self)
    }

    static func check(_ status: Status) throws(CrosstieError) {
        guard status.isSuccess else { throw CrosstieError(status, "") }
    }
}
