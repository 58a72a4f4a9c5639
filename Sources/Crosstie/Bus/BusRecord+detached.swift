import Synchronization

/// Requests that a synchronous caller waits for. Closing the bus ends them.
extension BusRecord {
    /// Lists a request. False when its bus has closed.
    package static func detach(_ block: RequestBlock.Pointer) -> Bool {
        let bus = block.pointee.bus
        return bus.withLock {
            guard block.isBusLive else { return false }
            if block.pointee.isListed { return true }
            block.pointee.isListed = true
            block.pointee.liveBackLink = nil
            block.pointee.liveLink = bus.pointee.detached
            bus.pointee.detached?.pointee.liveBackLink = block
            bus.pointee.detached = block
            return true
        }
    }

    package static func forgetDetached(_ block: RequestBlock.Pointer) {
        let bus = block.pointee.bus
        bus.withLock { unlist(block, bus) }
    }

    /// Takes a request off the list, with the lock held.
    private static func unlist(_ block: RequestBlock.Pointer, _ bus: Pointer) {
        guard block.pointee.isListed else { return }
        block.pointee.isListed = false
        block.pointee.liveLink?.pointee.liveBackLink = block.pointee.liveBackLink
        if let before = block.pointee.liveBackLink {
            before.pointee.liveLink = block.pointee.liveLink
        } else {
            bus.pointee.detached = block.pointee.liveLink
        }
        block.pointee.liveLink = nil
        block.pointee.liveBackLink = nil
    }

    /// Ends every listed request; for a bus that is closing.
    static func endDetached(_ bus: Pointer) {
        while true {
            let next = bus.withLock { () -> RequestBlock.Pointer? in
                guard let block = bus.pointee.detached else { return nil }
                unlist(block, bus)
                block.pointee.references.add()
                return block
            }
            guard let next else { return }
            SchedulePoint.pass()
            next.end(.closed)
            next.drop()
        }
    }
}
