/// A thread's position in the query of a request that it reads pair by pair, so that a loop over the positions reads it once.
package struct QueryCursor {
    /// The bits of the request's handle.
    package let request: UInt
    /// The number of times that the request's URL had been replaced.
    package let rewrites: Int
    /// The next pair's position, and where it begins.
    package var position = 0
    package var offset = 0

    package init(request: UInt = 0, rewrites: Int = 0) { (self.request, self.rewrites) = (request, rewrites) }

    /// Whether the pair at a position is at the cursor or behind it.
    package func leads(to position: Int, of request: UInt, _ rewrites: Int) -> Bool {
        self.request == request && self.rewrites == rewrites && self.position <= position
    }
}
