import Synchronization

/// The words for a request that the library itself has ended. They are made at the first question, from what the
/// request keeps and from the bus as it is then; a request that nobody asks about pays nothing.
package final class Explanation: @unchecked Sendable {
    private let block: RequestBlock.Pointer

    private init(_ block: RequestBlock.Pointer) {
        self.block = block
        block.addReference()
    }

    /// Nil for a response that has its own message, or needs none.
    static func of(_ block: RequestBlock.Pointer) -> Explanation? { block.isUnexplained ? Explanation(block) : nil }

    deinit { block.drop() }

    package var text: String { String(decoding: block.responseMessage ?? .empty, as: UTF8.self) }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Whether the response is a failure that nobody has put into words yet.
    package var isUnexplained: Bool {
        !pointee.status.isSuccess && pointee.status != .handlerFailed && pointee.message.bits == ValueRef.null.bits
    }

    /// The message of the response: the one it was given, or its explanation. It lives as long as the request.
    package var responseMessage: Text? {
        guard isUnexplained else { return pointee.message.stringBytes }
        let status = pointee.status
        if let made = pointee.kept.explanation(of: status) {
            return made.stringBytes
        }
        guard let text = try? Value.string(words(for: status)).makeRef() else { return nil }
        pointee.kept.add(text, explaining: status)
        return text.stringBytes
    }

    private func words(for status: Status) -> String {
        let subject = subject
        switch status {
        case .noRoute where pointee.verdict == .declined:
            return phrase("every handler that matches % has declined it", subject)
        case .noRoute:
            let text = phrase("no route matches %", subject)
            return nearestPattern.map { text + phrase("; the nearest pattern is %", $0) } ?? text
        case .blocked: return phrase("no route, provider or system opener takes %", subject)
        case .denied: return denial(subject)
        case .unroutablePath: return phrase("% has no '//' behind its scheme, and no route matches such a URL", subject)
        case .limitExceeded where pointee.verdict == .declined:
            return phrase("more than % handlers have declined %", String(RequestExtras.maximumDeclines), subject)
        case .limitExceeded where pointee.verdict == .exhausted:
            return RouteSearch.exhaustion(of: subject)
        case .noReply: return phrase("the handler of % finished without replying", subject)
        case .timedOut where isOverdue: return lateness(subject)
        case .busy: return crowding(subject)
        case .nestedTooDeeply: return ThreadSlot.refusal(of: subject, isLimit: pointee.verdict == .nested)
        case .closed: return phrase("the bus was closed before % had ended", subject)
        case .noComponent: return phrase("there is no component %", quoted(target))
        case .noAction: return phrase("% has no action %", quoted(target), quoted(action))
        default: return phrase("%: %", status.message, subject)
        }
    }

    private func lateness(_ subject: String) -> String {
        let limit = pointee.timeLimit
        return phrase(
            limit.isInherited
                ? "% has not ended within the % ms of the request that it was made in or for"
                : "% has not ended within % ms", subject, String(limit.milliseconds))
    }

    /// Names the dispatcher that did not take the request, and its limit.
    private func crowding(_ subject: String) -> String {
        let indices = try? BusRecord.withState(pointee.busHandle) { _, state in state.dispatchers }
        let name = indices?.first { $0.value == pointee.dispatcher }?.key
        let dispatcher = name.map { phrase("dispatcher %", Quotation.quoted($0)) } ?? "the bus's default dispatcher"
        guard pointee.verdict == .crowded else {
            return phrase("all workers of % wait for other requests, so % is refused", dispatcher, subject)
        }
        let most = withPool(else: nil) { String($0.pointee.options.maximumQueued) } ?? "its limit"
        return phrase("the queue of % is full (max_queued is %), so % is refused", dispatcher, most, subject)
    }

    private func denial(_ subject: String) -> String {
        switch pointee.verdict {
        case .privateScheme: return phrase("% has a private scheme, which remote origins may not open", subject)
        case .privateRoute:
            return phrase(
                """
                % matches %, which is not public: register the route with CTIE_ROUTE_PUBLIC, or make the rule public, \
                to let remote origins open it
                """, subject, matchedPattern ?? "a pattern")
        default: return phrase("an interceptor or handler has denied %", subject)
        }
    }

    /// The request for people: the URL without its query and fragment, which may be secret; or the names.
    var subject: String {
        guard pointee.kind.hasURL else {
            return action?.isEmpty == false ? phrase("% of %", quoted(action), quoted(target)) : quoted(target)
        }
        let url = (urlPart(.whole) ?? .empty).prefix { $0 != 0x3F && $0 != 0x23 }
        return String(decoding: url.prefix(256), as: UTF8.self) + (url.count > 256 ? "…" : "")
    }

    private func quoted(_ name: Text?) -> String { Quotation.quoted(name ?? .empty) }

    /// The private route that matched, unless it has been removed.
    private var matchedPattern: String? {
        let slot = ThreadSlot.current
        ReadSide.enter(slot)
        defer { ReadSide.leave(slot) }
        let found = ProcessState.current.pointee.registrations.resolve(
            pointee.route, .registration, as: RegistrationRecord.self)
        guard case .live(let match) = found else { return nil }
        return match.anyPattern.map { String(decoding: $0.text, as: UTF8.self) }
    }

    /// The pattern that has most of the URL's beginning, if that is more than the scheme. Remote origins get public ones
    /// only.
    private var nearestPattern: String? {
        guard pointee.kind.hasURL, !pointee.parts.flags.contains(.foreign) else { return nil }
        let url = UnsafeRawBufferPointer(start: pointee.parts.area, count: pointee.parts.path.end)
        var best = NearestPattern(url: url, scheme: Int(pointee.parts.schemeLength))
        try? BusRecord.withState(pointee.busHandle) { _, state in
            for index in state.routes.prefix(NearestPattern.maximumCount) {
                if let match = RegistrationRecord.at(index) { best.look(at: match, isLocal: pointee.isLocal) }
            }
            for match in (state.rules?.registrations ?? []).prefix(NearestPattern.maximumCount) {
                best.look(at: match, isLocal: pointee.isLocal)
            }
        }
        return best.text
    }
}

extension UnsafeMutablePointer where Pointee == RegistrationRecord {
    /// The pattern of a route, or the first one of a rule.
    var anyPattern: PatternInfo? { pointee.pattern ?? pointee.rule?.pattern }
}

extension ThreadSlot {
    /// Says that a request is refused because of those that run on its thread already: by the limit, or for want of stack.
    static func refusal(of subject: String, isLimit: Bool) -> String {
        isLimit
            ? phrase("% requests are nested on this thread, the most, so % is refused", String(maximumDepth), subject)
            : phrase("too little of the thread's stack is left for %, nested in other requests", subject)
    }
}

/// A template with its placeholders, `%`, filled in their order.
private func phrase(
    _ template: StaticString, _ first: String, _ second: String = "", _ third: String = ""
) -> String {
    var (text, values) = ("", [first, second, third][...])
    template.withUTF8Buffer { bytes in
        for part in bytes.split(separator: 0x25, omittingEmptySubsequences: false) {
            if !text.isEmpty || part.startIndex > 0 { text += values.popFirst() ?? "" }
            text += String(decoding: part, as: UTF8.self)
        }
    }
    return text
}
