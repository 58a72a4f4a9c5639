/// A failed request as its error carries it. The floor of requests has the one subclass.
package class RequestFailure: @unchecked Sendable {
    /// The message of the response; empty for none.
    package var message: String { "" }

    package init() {}
}
