/// The doors without a URL: requests that say whom they are for by two names.
package enum CallDoor {
    /// Runs a request on this thread. The outcome holds it if `keeping` asks for it.
    ///
    /// - Parameters:
    ///   - params: a map, a foreign value or null; borrowed.
    ///   - order: nil for a local request with the defaults.
    package static func call(
        _ door: Door, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, _ order: RequestOrder?, keeping: Bool
    ) -> Outcome {
        let callee = Callee(target, action, ValueRef(params) ?? .null)
        let handle = Handle(bits: UInt(bitPattern: bus))
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return order.refused(resolved.status) }
        let checked = callee.check(door)
        guard checked == .ok else { return order.refused(checked) }
        let slot = ThreadSlot.current
        guard slot.hasRoomForRequest else { return order.refused(.depth) }
        let timeout = RequestOrder.synchronousTimeoutMilliseconds
        guard let block = Submission.begin(door, bus, handle, order, slot, timeout: timeout) else {
            return order.refused(.noMemory)
        }
        guard block.address(callee) else { return Outcome(.noMemory) }
        return Submission.run(block, order?.runtime, slot, keeping: keeping)
    }

    /// Runs a request on a worker. On success the outcome's block is the call's, with its reference; on
    /// failure the context has been destroyed.
    package static func callAsynchronously(
        _ door: Door, _ bus: OpaquePointer?, _ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer,
        _ params: OpaquePointer?, _ order: RequestOrder, keeping: Bool, completion: CompletionFunction?,
        context: CallbackContext
    ) -> Outcome {
        let callee = Callee(target, action, ValueRef(params) ?? .null)
        let handle = Handle(bits: UInt(bitPattern: bus))
        let outcome = submit(door, handle, callee, order, keeping, completion, context)
        if outcome.status != .ok { context.destroy() }
        return outcome
    }

    private static func submit(
        _ door: Door, _ handle: Handle, _ callee: Callee, _ order: RequestOrder, _ keeping: Bool,
        _ completion: CompletionFunction?, _ context: CallbackContext
    ) -> Outcome {
        let resolved = BusRecord.resolve(handle)
        guard case .live(let bus) = resolved else { return order.refused(resolved.status) }
        let checked = callee.check(door)
        guard checked == .ok else { return order.refused(checked) }
        let slot = ThreadSlot.current
        let timeout = RequestOrder.asynchronousTimeoutMilliseconds
        guard let block = Submission.begin(door, bus, handle, order, slot, timeout: timeout) else {
            return order.refused(.noMemory)
        }
        guard block.address(callee) else { return Outcome(.noMemory) }
        return Submission.submit(block, order, slot, keeping: keeping, completion, context)
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Says whom a request is for, and gives it its parameters. Without memory for that it is gone.
    @inline(__always)
    fileprivate func address(_ callee: Callee) -> Bool {
        guard setNames(callee) else {
            drop()
            return false
        }
        if callee.params.bits != ValueRef.null.bits { pointee.params = callee.params.retained() }
        return true
    }
}
