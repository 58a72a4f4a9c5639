extension Value {
    /// Reads a JSON text.
    ///
    /// Integers beyond 64 bits, numbers beyond a double, a key that is repeated or holds NUL and lone surrogates are
    /// errors. The order of keys is kept.
    /// - Throws: `invalidFormat`, `duplicateKey`, `limitExceeded` or `outOfMemory`, with line and column.
    public init(json text: String) throws(CrosstieError) {
        try self.init(json: Array(text.utf8))
    }

    /// Reads a JSON text in UTF-8, as ``init(json:)-(String)`` does.
    ///
    /// - Throws: `invalidUTF8` too.
    public init(json text: [UInt8]) throws(CrosstieError) {
        self.init(taking: try text.withRawBytes { bytes throws(CrosstieError) in try JSON.decode(bytes) })
    }

    /// The value as JSON, foreign values materialized.
    ///
    /// - Parameter pretty: a line for each entry, indented by two spaces; else no spaces at all.
    /// - Throws: `wrongType` with the path of bytes, NaN or an infinity, which have no JSON form; `foreignValue`, `limitExceeded`,
    ///   `outOfMemory`.
    public func json(pretty: Bool = false) throws(CrosstieError) -> String {
        try encoded { ref throws(CrosstieError) in try JSON.encode(ref, pretty: pretty) }.stringValue ?? ""
    }

    /// Reads a MessagePack message of exactly one value, in the standard types.
    ///
    /// - Throws: `invalidFormat`, `invalidUTF8`, `duplicateKey`, `limitExceeded` or `outOfMemory`, with the offset.
    public init(messagePack message: [UInt8]) throws(CrosstieError) {
        self.init(taking: try message.withRawBytes { bytes throws(CrosstieError) in try MessagePack.decode(bytes) })
    }

    /// The value as MessagePack, foreign values materialized.
    ///
    /// - Throws: `foreignValue` with the path of an object without a plain form; `limitExceeded`, `outOfMemory`.
    public func messagePack() throws(CrosstieError) -> [UInt8] {
        try encoded { ref throws(CrosstieError) in try MessagePack.encode(ref) }.bytesValue ?? []
    }

    /// The Swift form of a value that nobody else owns.
    private init(taking ref: ValueRef) {
        self.init(borrowing: ref)
        ref.release()
    }

    private func encoded(
        _ encode: (ValueRef) throws(CrosstieError) -> ValueRef
    ) throws(CrosstieError) -> Value {
        let ref = try makeRef()
        defer { ref.release() }
        return Value(taking: try encode(ref))
    }
}
