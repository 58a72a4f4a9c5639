extension ThreadSlot {
    /// The pool whose worker this thread is.
    @inline(__always)
    package var pool: WorkerPool.Pointer? {
        get { poolAddress?.assumingMemoryBound(to: WorkerPool.self) }
        set { poolAddress = UnsafeMutableRawPointer(newValue) }
    }
}
