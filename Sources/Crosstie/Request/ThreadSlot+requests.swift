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
