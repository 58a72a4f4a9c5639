/// Options of sending a message, on bytes.
package struct SendOptions {
    /// In their order.
    package var headers: [(name: [UInt8], value: [UInt8])] = []
    package var expires = Expiry.byDefault
    package var begins = Begin.byDefault
    /// The host's: one message at most is sent with it.
    package var token: StepToken?
    /// Of several messages: they are sent in one step, or not at all. Otherwise one after another, where that cannot be.
    package var isAtomic = true

    package init() {}

    package enum Expiry {
        /// As the group's options say.
        case byDefault
        case never
        /// Milliseconds after its earliest delivery.
        case after(UInt64)
    }

    /// The time of its earliest delivery.
    package enum Begin {
        case byDefault
        case now
        /// Milliseconds.
        case after(UInt64)
        /// Nanoseconds since 1970-01-01 UTC.
        case at(Int64)
    }

    /// Milliseconds.
    static var longestDelay: UInt64 { 100 * 365_25 * 864_000 }

    static func check(delayMilliseconds: UInt64) throws(CrosstieError) {
        guard delayMilliseconds <= longestDelay else {
            throw CrosstieError(.limitExceeded, "a message waits for 100 years at most", at: "options.delay_ms")
        }
    }

    /// - Throws: *limitExceeded* or *invalidUTF8* for a header, *invalidArgument* for one that is there twice or has no name.
    func checkHeaders() throws(CrosstieError) {
        guard headers.count <= MessageTags.maximumCount else {
            throw CrosstieError(.limitExceeded, "over \(MessageTags.maximumCount) headers", at: "options.headers")
        }
        var size = 0
        for (index, header) in headers.enumerated() {
            size += header.name.count + header.value.count
            try check(header, index, size)
        }
    }

    private func check(_ header: (name: [UInt8], value: [UInt8]), _ index: Int, _ size: Int) throws(CrosstieError) {
        let location = "options.headers[\(index)]"
        guard !header.name.isEmpty else {
            throw CrosstieError(.invalidArgument, "a header without a name", at: location)
        }
        guard header.name.count <= MessageTags.maximumNameSize else {
            let most = MessageTags.maximumNameSize
            throw CrosstieError(
                .limitExceeded, "the header's name \(Quotation.quoted(header.name)) is over \(most) bytes", at: location
            )
        }
        guard size <= MessageTags.maximumSize else {
            throw CrosstieError(.limitExceeded, "the headers have over \(MessageTags.maximumSize) bytes", at: location)
        }
        let isText = header.name.withUnsafeBytes { isUTF8($0) } && header.value.withUnsafeBytes { isUTF8($0) }
        guard isText else {
            throw CrosstieError(
                .invalidUTF8, "the header \(Quotation.quoted(header.name)) is not valid UTF-8", at: location)
        }
        guard !headers[..<index].contains(where: { $0.name == header.name }) else {
            throw CrosstieError(
                .invalidArgument, "the header \(Quotation.quoted(header.name)) occurs twice", at: location)
        }
    }
}
