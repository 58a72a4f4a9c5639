/// The sender of a request that came from another process.
package final class RequestSender: @unchecked Sendable {
    /// A map that describes the peer; lent as long as this object lives.
    package let description: ValueRef
    /// The number of requests, in all processes, that the request is nested in.
    package let depth: UInt32

    /// Takes the description.
    package init(_ description: ValueRef, depth: UInt32) {
        self.description = description
        self.depth = depth
    }

    deinit { description.release() }
}
