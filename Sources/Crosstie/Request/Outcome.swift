/// The outcome of a request.
package struct Outcome {
    package let status: Status
    /// The request, with one reference for the caller; nil when there never was one, or none is wanted.
    package var block: RequestBlock.Pointer?
    /// The error in a URL.
    package var failure: ParseFailure?

    @inline(__always)
    package init(_ status: Status, _ block: RequestBlock.Pointer? = nil, _ failure: ParseFailure? = nil) {
        self.status = status
        self.block = block
        self.failure = failure
    }

    /// The response to a request that succeeded; the outcome's reference goes.
    func takeResponse() throws(CrosstieError) -> Response {
        guard let block else { throw error }
        defer { block.drop() }
        guard status.isSuccess else { throw error }
        return Response(block)
    }

    /// The call of an asynchronous request.
    func takeCall() throws(CrosstieError) -> Call {
        guard let block else { throw error }
        guard status.isSuccess else {
            defer { block.drop() }
            throw refusal(of: block)
        }
        return Call(block.pointee.header.handle(.call))
    }

    /// Why an asynchronous request was not begun. It has no response.
    package func refusal(of block: RequestBlock.Pointer) -> CrosstieError {
        let text = String(decoding: block.responseMessage ?? .empty, as: UTF8.self)
        return CrosstieError(status, text, at: status == .notFound ? "options.dispatcher" : "")
    }

    /// The request, where no more is to be said than what its response says when it is asked.
    package var unexplained: RequestBlock.Pointer? {
        guard failure == nil, let block, block.isUnexplained, block.pointee.extras == nil else { return nil }
        return block
    }

    /// The failure.
    package var error: CrosstieError {
        if let failure { return failure.error }
        guard let block else {
            return CrosstieError(status, status == .invalidHandle ? "invalid or released bus handle" : "")
        }
        let response = Response(block)
        if let malformation = block.malformation(status)?.error {
            return CrosstieError(status, malformation.message, at: malformation.location, response: response)
        }
        guard let problem = KindTable.type(of: block.pointee.kind).problem(of: block, failedWith: status) else {
            return response.error
        }
        return CrosstieError(status, problem.message, at: problem.location, response: response)
    }
}
