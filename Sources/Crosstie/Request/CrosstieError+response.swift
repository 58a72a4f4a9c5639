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
