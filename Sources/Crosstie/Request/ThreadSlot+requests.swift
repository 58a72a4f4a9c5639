/// The requests of a thread, of which the slot itself keeps the addresses only.
extension ThreadSlot {
    /// Free request blocks of this thread, linked through their ``RequestBlock/link``.
    @inline(__always)
    package var freeBlocks: RequestBlock.Pointer? {
        get { freeBlockAddress?.assumingMemoryBound(to: RequestBlock.self) }
        set { freeBlockAddress = UnsafeMutableRawPointer(newValue) }
    }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// The request that this thread is handling, if any.
    @inline(__always)
    package var currentRequest: RequestBlock.Pointer? {
        currentRequestAddress?.assumingMemoryBound(to: RequestBlock.self)
    }
}

extension UnsafeMutablePointer where Pointee == ThreadSlot {
    /// The number of requests, in all processes, that nest on this thread.
    package var depthOfRequests: UInt32 {
        let depth = pointee.depth.value
        guard depth > 0, let outermost = pointee.requests[0] else { return depth }
        return depth &+ (outermost.assumingMemoryBound(to: RequestBlock.self).sender?.depth ?? 0)
    }
}
