/// The response to a request.
public struct Response: Sendable {
    /// *ok*, *handlerFailed*, or the status of what kept the request from its handler.
    public let status: Status
    /// 1 for success, the handler's own code on failure, else ``Status/code``.
    public let code: Int32
    /// The answer's value; null where there is none.
    public let value: Value
    /// The message of a failure, else empty. Where the library itself has ended the request it is made when it is asked
    /// for.
    public var message: String { explanation?.text ?? text }

    private let text: String
    private let explanation: Explanation?

    /// Reads an ended request.
    package init(_ block: RequestBlock.Pointer) {
        status = block.pointee.status
        code = block.pointee.code
        value = Value(borrowing: block.swiftValue)
        explanation = Explanation.of(block)
        text = block.pointee.message.stringBytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The error that a failed response is thrown as.
    package var error: CrosstieError {
        CrosstieError(status, text, response: self)
    }
}

extension CrosstieError {
    /// The response of a request that came to its handler and failed there; nil for every other failure.
    public var response: Response? { (failure as? FailedResponse)?.response }

    package init(_ status: Status, _ message: String, at location: String = "", response: Response?) {
        self.init(status, message, at: location, failure: response.map(FailedResponse.init))
    }
}

/// The response that an error carries.
private final class FailedResponse: RequestFailure, @unchecked Sendable {
    let response: Response

    init(_ response: Response) {
        self.response = response
        super.init()
    }

    override var message: String { response.message }
}
