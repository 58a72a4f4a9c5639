/// Requests that were taken out of a wheel, each with a reference, linked as they were there.
struct RequestChain {
    private var first: RequestBlock.Pointer?
    private var last: RequestBlock.Pointer?

    var isEmpty: Bool { first == nil }

    mutating func append(_ block: RequestBlock.Pointer) {
        block.pointee.liveLink = nil
        if let last { last.pointee.liveLink = block } else { first = block }
        last = block
    }

    mutating func prepend(_ block: RequestBlock.Pointer) {
        block.pointee.liveLink = first
        if first == nil { last = block }
        first = block
    }

    private mutating func take() -> RequestBlock.Pointer? {
        guard let block = first else { return nil }
        first = block.pointee.liveLink
        if first == nil { last = nil }
        return block
    }

    /// Ends them all, with no lock held. Gives how many had not ended.
    ///
    /// First all of them end: a worker that one of them sets free must not begin with another one.
    @discardableResult
    mutating func end(_ status: Status) -> Int {
        var (ended, count) = (RequestChain(), 0)
        while let block = take() {
            if block.end(status) {
                ended.append(block)
                count += 1
            } else {
                block.dropAsCallback()
            }
        }
        while let block = ended.take() {
            block.expedite()
            block.dropAsCallback()
        }
        return count
    }
}
