/// Requests that cross the bounds of a process.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// The sender; nil for a request of this process.
    package var sender: RequestSender? { pointee.extras?.delivery?.sender }

    /// The name or number of the peer that the request must go to; empty for any.
    package var wantedPeer: String { pointee.extras?.delivery?.peer ?? "" }

    /// The one peer that an event's request is for.
    package var hearer: AnyObject? { pointee.extras?.delivery?.hearer }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// The number of requests, in all processes, that nest on this thread.
    package var depthOfRequests: UInt32 {
        let depth = pointee.depth.value
        guard depth > 0, let outermost = pointee.requests[0] else { return depth }
        return depth &+ (outermost.assumingMemoryBound(to: RequestBlock.self).sender?.depth ?? 0)
    }
}
