/// A response on its way back to its caller. It is valid inside the closure that gets it.
public struct ReturningResponse: Sendable {
    /// The response as it was when the closure began.
    public let response: Response
    private let handle: Handle

    init(_ block: RequestBlock.Pointer) {
        response = Response(block)
        handle = block.pointee.header.handle(.response)
    }

    /// Makes the response one of success with another value.
    ///
    /// - Throws: *invalidHandle* (outside the closure); what the value itself is refused for.
    public func replace(_ value: Value) throws(CrosstieError) {
        try Request.check(RequestBlock.replaceResponse(handle, try value.makeRef()))
    }

    /// Makes the response one of failure.
    ///
    /// - Throws: *limitExceeded* (a message over 65,536 bytes); *invalidHandle* (outside the closure); what the value is refused for.
    public func fail(_ failure: HandlerFailure) throws(CrosstieError) {
        guard failure.message.utf8.count <= 65_536 else {
            throw CrosstieError(.limitExceeded, "a message is over 65536 bytes")
        }
        let value = try failure.value.makeRef()
        let status = try withBytes(of: failure.message) { text throws(CrosstieError) in
            RequestBlock.failResponse(handle, code: failure.code, value: value, message: text)
        }
        try Request.check(status)
    }
}
