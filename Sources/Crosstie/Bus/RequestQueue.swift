/// Requests that wait for a worker: by their priority, then in their order. It is a chain through the blocks, so that
/// queueing allocates nothing.
struct RequestQueue {
    private var high = Chain()
    private var normal = Chain()
    private var low = Chain()
    private(set) var count = 0

    private struct Chain {
        var head: RequestBlock.Pointer?
        var tail: RequestBlock.Pointer?

        @inline(__always)
        mutating func append(_ block: RequestBlock.Pointer) {
            block.pointee.link = nil
            block.pointee.backLink = tail
            if let tail { tail.pointee.link = block } else { head = block }
            tail = block
        }

        mutating func prepend(_ block: RequestBlock.Pointer) {
            block.pointee.link = head
            block.pointee.backLink = nil
            if let head { head.pointee.backLink = block } else { tail = block }
            head = block
        }

        @inline(__always)
        mutating func remove(_ block: RequestBlock.Pointer) {
            let (after, before) = (block.pointee.link, block.pointee.backLink)
            if let after { after.pointee.backLink = before } else { tail = before }
            if let before { before.pointee.link = after } else { head = after }
        }
    }

    @inline(__always)
    mutating func append(_ block: RequestBlock.Pointer) {
        block.pointee.isQueued = true
        count &+= 1
        switch block.pointee.priority {
        case 0: normal.append(block)
        case 1...: high.append(block)
        default: low.append(block)
        }
    }

    /// Puts a request before all others, and there it counts as an urgent one.
    mutating func prepend(_ block: RequestBlock.Pointer) {
        block.pointee.isQueued = true
        block.pointee.priority = 1
        count &+= 1
        high.prepend(block)
    }

    @inline(__always)
    mutating func remove(_ block: RequestBlock.Pointer) {
        block.pointee.isQueued = false
        count &-= 1
        switch block.pointee.priority {
        case 0: normal.remove(block)
        case 1...: high.remove(block)
        default: low.remove(block)
        }
    }

    /// The one whose turn it is.
    @inline(__always)
    var first: RequestBlock.Pointer? { high.head ?? normal.head ?? low.head }
}
