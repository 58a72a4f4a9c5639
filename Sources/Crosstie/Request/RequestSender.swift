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

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The sender; nil for a request of this process.
    package var sender: RequestSender? { pointee.extras?.delivery?.sender }

    /// The name or number of the peer that a call must go to; empty for any.
    package var wantedPeer: String { pointee.extras?.delivery?.peer ?? "" }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// The number of requests, in all processes, that nest on this thread.
    package var depthOfRequests: UInt32 {
        let depth = pointee.depth.value
        guard depth > 0, let outermost = pointee.requests[0] else { return depth }
        return depth &+ (outermost.assumingMemoryBound(to: RequestBlock.self).sender?.depth ?? 0)
    }
}
