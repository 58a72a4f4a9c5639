/// Answering, declining and retaining a request, as its handler does.
extension RequestBlock {
    /// The block of a request's handle, while a handler runs it or a host retains it.
    @inline(__always)
    package static func request(_ handle: Handle) -> Resolved<RequestBlock> {
        let resolved = resolve(handle, .request)
        guard case .live(let block) = resolved else { return resolved }
        return block.pointee.retainCount.isHeld ? resolved : .dead
    }

    /// Ends a request with success, as C says it. Takes `value`.
    package static func reply(_ request: OpaquePointer?, _ value: OpaquePointer?) -> Status {
        guard let value = ValueRef(value) else { return .invalidArgument }
        return reply(Handle(bits: UInt(bitPattern: request)), value)
    }

    /// Ends a request with success. Takes `value`.
    @inline(__always)
    package static func reply(_ handle: Handle, _ value: ValueRef) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else {
            value.release()
            return resolved.status
        }
        if block.answer(.ok, code: Status.ok.code, value: value) { return .ok }
        return block.lateReply()
    }

    /// Ends a request with a failure of its handler. Takes `value`.
    package static func fail(
        _ handle: Handle, code: Int32, value: ValueRef, message: UnsafeRawBufferPointer
    ) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else {
            value.release()
            return resolved.status
        }
        do throws(CrosstieError) {
            let text = message.isEmpty ? ValueRef.null : try ValueRef.string(message)
            if block.answer(.handlerFailed, code: code, value: value, message: text) { return .ok }
            return block.lateReply()
        } catch {
            value.release()
            return error.status
        }
    }

    /// Ends a request with an error of the library's list, because its handler does not allow it or acts for others;
    /// unless the performer's fallback is to answer it.
    package static func refuse(_ handle: Handle, _ status: Status, message: UnsafeRawBufferPointer) -> Status {
        guard status.isKnown, !status.isSuccess else { return .invalidArgument }
        let resolved = request(handle)
        guard case .live(let block) = resolved else { return resolved.status }
        do throws(CrosstieError) {
            let text = message.isEmpty ? ValueRef.null : try ValueRef.string(message)
            if block.leaveToFallback(status, message: message) {
                text.release()
                return .ok
            }
            if block.answer(status, code: status.code, message: text) { return .ok }
            return block.lateReply()
        } catch {
            return error.status
        }
    }

    package static func decline(_ handle: Handle) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else { return resolved.status }
        guard ThreadSlot.current.currentRequest == block else { return .invalidArgument }
        guard !block.hasEnded, block.pointee.retainCount.isRunningUnretained else { return .alreadyDone }
        block.pointee.verdict = .declined
        return .ok
    }

    package static func retain(_ handle: Handle) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else { return resolved.status }
        return block.retain()
    }

    package static func release(_ handle: Handle) -> Status {
        let resolved = request(handle)
        guard case .live(let block) = resolved else { return resolved.status }
        return block.release()
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    fileprivate func retain() -> Status {
        switch pointee.retainCount.retain() {
        case .notHeld: return .invalidHandle
        case .tooMany: return .limitExceeded
        case .again:
            pointee.references.add()
        case .first:
            pointee.references.add()
            keepPattern()
        }
        return .ok
    }

    fileprivate func release() -> Status {
        let release = pointee.retainCount.release()
        if release == .notRetained { return .invalidHandle }
        SchedulePoint.pass()
        if release == .last, !hasEnded { end(.noReply) }
        drop()
        return .ok
    }

    /// Keeps the pattern of a retained request, whose route may be removed before. While it is retained, the thread that
    /// runs it does that and changes these fields: a second retain must not.
    private func keepPattern() {
        guard let pattern = pointee.pattern, !pointee.keepsPattern else { return }
        pattern.retain()
        pointee.keepsPattern = true
    }

    /// Takes the pattern from the request. One that was kept lives as long as the request: a host that retains the
    /// request may be reading it.
    func dropPattern() {
        if pointee.keepsPattern, let pattern = pointee.pattern { extras.keep(pattern) }
        pointee.keepsPattern = false
        pointee.pattern = nil
    }

    /// Lends the pattern of the next handler or interceptor to the request, which keeps it while it is retained.
    @inline(__always)
    func lend(_ pattern: PatternInfo?) {
        pointee.pattern = pattern
        if pointee.retainCount.isRetained { keepPattern() }
    }

    /// Logs an answer that came after the request's end.
    fileprivate func lateReply() -> Status {
        BusRecord.write(about: self, .debug, "an answer came after its request had ended; it was dropped")
        return .alreadyDone
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Notes that the performer's handler that runs on this thread has not found the target or its selector, and leaves
    /// the request to the next one, as a handler that declines does. Returns false for any other handler and status: the
    /// request is to be ended.
    func leaveToFallback(_ status: Status, message: UnsafeRawBufferPointer) -> Bool {
        guard status == .noTarget || status == .noAction, isInPerformingHandler,
            RequestBlock.decline(pointee.header.handle(.request)) == .ok
        else { return false }
        extras.refusal = HandlerRefusal(status: status, message: String(decoding: message, as: UTF8.self))
        return true
    }

    /// Whether a resolver or the fallback is handling the request on this thread, and not an interceptor before it.
    private var isInPerformingHandler: Bool {
        let slot = ThreadSlot.current
        guard slot.currentRequest == self, pointee.gate.isPassable,
            let registration = RegistrationRecord.at(slot.currentRegistration)
        else { return false }
        return registration.pointee.traits.contains(.performing)
    }
}
