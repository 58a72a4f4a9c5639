/// The answer to a URL that was handed to the first instance.
public struct HandedURL: Sendable {
    /// As it was given; empty for an activation without URLs.
    public let url: String
    /// *ok*; *pending* for a URL that waits for ``Instance/ready()``; or why it is not open.
    public let status: Status
    /// Of the response.
    public let code: Int32
    /// For people; empty for success.
    public let message: String
    /// Of the response.
    public let value: Value

    init(_ url: String, _ status: Status, code: Int32? = nil, _ message: String = "", value: Value = .null) {
        (self.url, self.status, self.code) = (url, status, code ?? status.code)
        (self.message, self.value) = (message.isEmpty && !status.isSuccess ? status.message : message, value)
    }

    init(_ url: String, _ response: Response) {
        let message = response.status.isSuccess ? "" : response.error.message
        self.init(url, response.status, code: response.code, message, value: response.value)
    }

    /// From another process. An unknown status is *unknownAnswer*.
    init(_ url: String, answer: Value) {
        let given = Status(rawValue: Int32(clamping: answer["status"]?.intValue ?? 0))
        let status = given.isKnown && given != .pending ? given : .unknownAnswer
        self.init(
            url, status, code: Int32(clamping: answer["code"]?.intValue ?? 0), answer.text("message"),
            value: answer["value"] ?? .null)
    }

    /// As it goes to another process. Of an answer that is too large the value stays out.
    var frame: InstanceFrame {
        let frame = InstanceFrame(.answer, map)
        if frame.bytes != nil { return frame }
        let short = String(decoding: message.utf8.prefix(4096), as: UTF8.self)
        return InstanceFrame(.answer, HandedURL("", status, code: code, short).map)
    }

    /// As other languages get it.
    package var map: Value {
        [
            "url": .string(url), "status": .int(Int64(status.rawValue)), "code": .int(Int64(code)),
            "message": .string(message), "value": value,
        ]
    }
}

extension [HandedURL] {
    /// The error for those that are not open; nil if there are none.
    package var failure: CrosstieError? {
        let failed = filter { !$0.status.isSuccess && $0.status != .pending }
        guard let first = failed.first else { return nil }
        if failed.count == 1 {
            let url = first.url.isEmpty ? "the activation" : Quotation.shown(first.url)
            return CrosstieError(first.status, "\(url): \(first.message)")
        }
        let each = failed.prefix(8).map { "\(Quotation.shown($0.url)): \($0.message)" }.joined(separator: "; ")
        return CrosstieError(first.status, "\(failed.count) of \(count) URLs are not open: \(each)")
    }
}
