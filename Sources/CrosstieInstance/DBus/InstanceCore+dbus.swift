/// Calls that reach the first instance over the session bus.
extension InstanceCore {
    static var claimEnded: CrosstieError { CrosstieError(.closed, "the process leaves; nothing was opened") }

    /// Writes to the log what has become of the application's name on the session bus.
    func note(_ state: DBusState) {
        let outcome = state.status == .ok ? "this process has the name on the session bus" : state.reason
        BusRecord.write(to: bus, state.level, "instance of \(location.application): \(outcome)")
    }

    /// Takes a call, which is opened when this process is ready.
    @inline(never)
    func take(_ call: DBusCall) {
        var refusal: CrosstieError?
        let isReady = with { () -> Bool in
            if isReleased {
                refusal = InstanceCore.claimEnded
            } else if callCount == DBusCall.maximumCount {
                refusal = CrosstieError(.limitExceeded, "\(callCount) calls have no answer yet")
            } else {
                callCount += 1
                if !self.isReady { calls.append(call) }
            }
            return self.isReady
        }
        if let refusal { return call.answer(refusal) }
        if isReady { open(call) }
    }

    /// Opens a call's URLs, and answers it.
    @inline(never)
    func open(_ call: DBusCall) {
        let note = { @Sendable (handed: Handed, answer: HandedURL) in call.answers.append(answer.of(handed.url)) }
        openInOrder(call.handed[...], note: note) { [self] in
            with { callCount -= 1 }
            call.finish()
        }
    }
}

extension HandedURL {
    /// The same answer for a URL.
    fileprivate func of(_ url: String) -> HandedURL { HandedURL(url, status, code: code, message, value: value) }
}
