internal import Glibc

/// The way of URLs to the first instance, one at a time.
///
/// The first instance says *taken* before it opens a URL, and opens it only if that has reached this side's socket. So
/// a connection that ends without it leaves the URL unopened for certain, and one that ends after it leaves it to nobody.
package struct HandOver {
    private let location: InstanceLocation
    private let deadline: UInt64
    private var socket: InstanceSocket?
    private let isFirst: () -> Bool
    private let replace: () throws(CrosstieError) -> Void

    /// - Parameters:
    ///   - isFirst: whether this process is the first instance itself.
    ///   - replace: called each time that there is none, to make this process or another one the first.
    package init(
        _ location: InstanceLocation, until deadline: UInt64, isFirst: @escaping () -> Bool = { false },
        replace: @escaping () throws(CrosstieError) -> Void
    ) {
        (self.location, self.deadline, self.isFirst, self.replace) = (location, deadline, isFirst, replace)
    }

    /// The end of one URL's way.
    private enum Delivery {
        case answered(HandedURL)
        /// It has no answer of the first instance, and no further URL is handed over.
        case unanswered(HandedURL)
        /// This process is the first instance.
        case isOwn
    }

    /// Hands over a URL, or an activation alone where it is empty.
    private mutating func deliver(_ url: String, _ activation: Value) throws(CrosstieError) -> Delivery {
        let map: Value = ["version": .int(InstanceFrame.version), "url": .string(url), "activation": activation]
        while !isFirst() {
            switch try connected() {
            case .connected(let socket):
                var map = map
                if let left = timeLeft { map = map.adding("left", .int(left)) }
                if let end = hand(url, InstanceFrame(.open, map), socket) { return end }
                self.socket = nil
                if let end = pause(url) { return .unanswered(end) }
            case .nobody:
                try replace()
                if !isFirst(), let end = pause(url) { return .unanswered(end) }
            case .crowded:
                if let end = pause(url) { return .unanswered(end) }
            }
        }
        return .isOwn
    }

    /// Hands over URLs, or an activation alone where there are none. After one without an answer the rest stays here.
    ///
    /// - Parameter keep: takes each URL that is this process's own, because it is the first instance.
    /// - Throws: *unsafeFile*, *systemFailure* (no instance can be reached); as `replace`.
    package mutating func deliver(
        _ urls: [String], _ activation: Value, keep: (String) -> HandedURL = { HandedURL($0, .pending) }
    ) throws(CrosstieError) -> [HandedURL] {
        var answers: [HandedURL] = []
        var end: Status?
        for url in urls.isEmpty ? [""] : urls {
            if let end {
                answers.append(HandedURL(url, end, "not handed over, as the URL before it had no answer"))
                continue
            }
            switch try deliver(url, activation) {
            case .answered(let answer): answers.append(answer)
            case .unanswered(let answer):
                answers.append(answer)
                end = answer.status
            case .isOwn: answers.append(keep(url))
            }
        }
        return answers
    }

    private mutating func connected() throws(CrosstieError) -> InstanceLocation.Attempt {
        if let socket { return .connected(socket) }
        let attempt = try location.connect()
        if case .connected(let fresh) = attempt { socket = fresh }
        return attempt
    }

    /// In milliseconds; nil for no deadline.
    private var timeLeft: Int64? {
        guard deadline != Clock.never else { return nil }
        return Int64(clamping: max(deadline, Clock.now()) &- Clock.now()) / 1_000_000 + 1
    }

    /// Sleeps before another attempt. Returns the answer if there shall be none.
    private func pause(_ url: String) -> HandedURL? {
        guard Clock.now() < deadline else {
            return HandedURL(url, .timedOut, "no instance of \(location.application) takes URLs; it is not opened")
        }
        if ThreadSlot.current.isWaitUnwanted() { return HandedURL(url, .cancelled) }
        Clock.sleep(nanoseconds: 1_000_000)
        return nil
    }

    /// Nil if the first instance has ended without taking the URL.
    private func hand(_ url: String, _ frame: InstanceFrame, _ socket: InstanceSocket) -> Delivery? {
        let failure = socket.send(frame)
        if failure == EMSGSIZE {
            return .answered(HandedURL(url, .limitExceeded, "the URL and its activation are over a frame's size"))
        }
        guard failure == 0 else { return nil }
        var isTaken = false
        while true {
            switch socket.receive(until: deadline) {
            case .frame(let frame):
                switch frame.kind {
                case .taken where !isTaken: isTaken = true
                case .answer: return .answered(HandedURL(url, answer: frame.body))
                case .returned: return nil
                default: return .unanswered(broken(url, socket))
                }
            case .ended: return isTaken ? .unanswered(lost(url, socket)) : nil
            case .malformed: return .unanswered(broken(url, socket))
            case .late: return giveUp(url, .timedOut, isTaken, socket)
            case .unwanted: return giveUp(url, .cancelled, isTaken, socket)
            }
        }
    }

    /// Stops waiting. From here on the first instance cannot take the URL; it may have done so a moment ago.
    private func giveUp(
        _ url: String, _ status: Status, _ wasTaken: Bool, _ socket: InstanceSocket
    ) -> Delivery {
        socket.stop()
        var isTaken = wasTaken
        while case .frame(let frame) = socket.receive(until: 0) {
            if frame.kind == .answer { return .answered(HandedURL(url, answer: frame.body)) }
            isTaken = isTaken || frame.kind == .taken
            if frame.kind == .returned { isTaken = false }
        }
        let process = "process \(socket.pid), the first instance of \(location.application),"
        return .unanswered(
            HandedURL(
                url, status,
                isTaken
                    ? "\(process) took the URL and has not answered"
                    : "\(process) did not take the URL; it is not opened"))
    }

    private func lost(_ url: String, _ socket: InstanceSocket) -> HandedURL {
        HandedURL(
            url, .peerGone,
            "process \(socket.pid) took the URL and ended before it answered; it may have opened it, and nobody opens it "
                + "again")
    }

    private func broken(_ url: String, _ socket: InstanceSocket) -> HandedURL {
        HandedURL(url, .corruptData, "process \(socket.pid) does not keep to the protocol of instances")
    }
}

extension Value {
    /// A map with one more entry.
    func adding(_ key: String, _ value: Value) -> Value {
        var map = mapValue ?? ValueMap()
        map[key] = value
        return .map(map)
    }
}
