import Synchronization

/// What a handler does with its request.
extension RequestBlock {
    /// The block of a request's handle, while a handler runs it or somebody retains it.
    @inline(__always)
    package static func request(_ handle: Handle) -> Resolved<RequestBlock> {
        let resolved = resolve(handle, .request)
        guard case .live(let block) = resolved else { return resolved }
        return block.pointee.holding.load(ordering: .relaxed) & (Holding.running | Holding.countMask) != 0
            ? resolved : .dead
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

    /// Ends a request with an error of the library's list, because whoever handles it does not allow it or stands for
    /// others; unless the performer's fallback is to answer it.
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
        let holding = block.pointee.holding.load(ordering: .acquiring)
        guard !block.hasEnded, holding & (Holding.running | Holding.everRetained) == Holding.running else {
            return .alreadyDone
        }
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
        var seen = pointee.holding.load(ordering: .relaxed)
        while true {
            guard seen & (RequestBlock.Holding.running | RequestBlock.Holding.countMask) != 0 else {
                return .invalidHandle
            }
            guard seen & RequestBlock.Holding.countMask < RequestBlock.Holding.countMask else { return .limitExceeded }
            let (won, now) = pointee.holding.compareExchange(
                expected: seen, desired: (seen + 1) | RequestBlock.Holding.everRetained,
                ordering: .acquiringAndReleasing)
            if won { break }
            seen = now
        }
        pointee.references.add(1, ordering: .relaxed)
        if seen & RequestBlock.Holding.countMask == 0 { keepPattern() }
        return .ok
    }

    /// The route may go before a retained request does. While somebody holds it the thread that runs it sees to that,
    /// and changes these fields: who retains it once more must not.
    private func keepPattern() {
        guard let pattern = pointee.pattern, !pointee.keepsPattern else { return }
        pattern.retain()
        pointee.keepsPattern = true
    }

    /// The pattern is not the request's any more. One that was kept stays until the request's end: whoever holds the
    /// request may be reading it.
    func letGoOfPattern() {
        if pointee.keepsPattern, let pattern = pointee.pattern { detour.keep(pattern) }
        pointee.keepsPattern = false
        pointee.pattern = nil
    }

    /// The pattern of the handler or interceptor that comes next; a request that somebody holds keeps it.
    @inline(__always)
    func lend(_ pattern: PatternInfo?) {
        pointee.pattern = pattern
        if pointee.holding.load(ordering: .relaxed) & RequestBlock.Holding.countMask != 0 { keepPattern() }
    }

    fileprivate func release() -> Status {
        var seen = pointee.holding.load(ordering: .relaxed)
        while true {
            guard seen & RequestBlock.Holding.countMask != 0 else { return .invalidHandle }
            let (won, now) = pointee.holding.compareExchange(
                expected: seen, desired: seen - 1, ordering: .acquiringAndReleasing)
            if won { break }
            seen = now
        }
        SchedulePoint.pass()
        let isLast = (seen - 1) & (RequestBlock.Holding.running | RequestBlock.Holding.countMask) == 0
        if isLast, !hasEnded { end(.noReply) }
        drop()
        return .ok
    }

    /// Notes an answer that came after the ending.
    fileprivate func lateReply() -> Status {
        BusRecord.write(about: self, .debug, "an answer came after its request had ended; it was dropped")
        return .alreadyDone
    }
}

/// What a handler asks of its request. Text lives as long as the request.
extension UnsafeMutablePointer where Pointee == RequestBlock {
    package typealias Text = UnsafeRawBufferPointer

    /// The text of a parameter: the path's, else the query's.
    package func parameter(_ name: Text) -> Result<Text, Status> { parameter(name, in: pointee.pattern) }

    /// The same by the names of a pattern.
    func parameter(_ name: Text, in pattern: PatternInfo?) -> Result<Text, Status> {
        guard pointee.kind == .open else { return namedText(name) }
        if let position = pattern?.position(of: name), position < Int(pointee.captureCount) {
            return .success(pointee.parts.text(captures[position]))
        }
        let (count, first) = pointee.parts.query(name)
        guard count < 2 else { return .failure(.duplicateKey) }
        return count == 1 ? .success(pointee.parts.text(first)) : .failure(.notFound)
    }

    package func pathParameter(at position: Int) -> (name: Text, text: Text)? {
        guard let pattern = pointee.pattern, position >= 0,
            position < min(pattern.nameCount, Int(pointee.captureCount))
        else { return nil }
        return (pattern.name(position), pointee.parts.text(captures[position]))
    }

    package func queryPair(at position: Int) -> (key: Text, text: Text)? {
        guard pointee.kind == .open, position >= 0, position < URLLimits.pairs else { return nil }
        var pairs = Query(of: pointee.parts)
        for _ in 0..<position { guard pairs.next() != nil else { return nil } }
        guard let pair = pairs.next() else { return nil }
        return (pointee.parts.text(pair.key), pointee.parts.text(pair.value))
    }
}

extension Status: Error {}

/// A part of a request's URL.
package enum URLPart: Int32 {
    case whole = 0
    case scheme = 1
    case host = 2
    case path = 3
    case query = 4
    case fragment = 5
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// A part of the URL in its normal form; nil for a query or fragment that is not there.
    package func urlPart(_ part: URLPart) -> Text? {
        guard pointee.kind == .open else { return nil }
        let parts = pointee.parts
        switch part {
        case .whole: return parts.text(parts.normalForm)
        case .scheme: return parts.text(parts.scheme)
        case .host: return parts.text(parts.host)
        case .path: return parts.text(parts.path)
        case .query: return parts.flags.contains(.query) ? parts.text(parts.query) : nil
        case .fragment: return parts.flags.contains(.fragment) ? parts.text(parts.fragment) : nil
        }
    }
}
