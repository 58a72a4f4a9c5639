internal import CCrosstie

/// Sending.
extension HostEngine {
    /// The engine's answer.
    struct Sent {
        var first: UInt64 = 0
        var listeners: UInt32 = 0
    }

    /// Sends messages. With a token it is repeated while it is uncertain whether it was done, as long as the caller has time.
    func send(
        _ parcel: EngineParcel, _ token: StepToken?, inOneStep: Bool, isClosing: () -> Bool
    ) throws(CrosstieError) -> Sent {
        let deadline = calls.deadline
        var doubt: CrosstieError?
        var pause = 1_000_000
        while true {
            do throws(CrosstieError) {
                return try sendOnce(parcel, token, inOneStep, until: deadline)
            } catch {
                // A step that was done before cannot be refused now.
                guard token != nil, error.status == .uncertain || doubt != nil && error.mayPass else {
                    throw error
                }
                let doubted = doubt ?? error
                doubt = doubted
                guard Clock.now() &+ UInt64(pause) < deadline, !isClosing() else { throw doubted }
                Clock.sleep(nanoseconds: pause)
                pause = min(pause * 2, 100_000_000)
            }
        }
    }

    private func sendOnce(
        _ parcel: EngineParcel, _ token: StepToken?, _ inOneStep: Bool, until deadline: UInt64
    ) throws(CrosstieError) -> Sent {
        var sent = Sent()
        var done = 0
        let left = try calls.left(until: deadline)
        let outcome = withOptionalBytes(token) { token in
            Result { () throws(CrosstieError) in
                try calls.call("send") {
                    parcel.withMessages { messages, count in
                        let answer =
                            inOneStep
                            ? functions.send?(context, messages, count, token, &sent.first, &sent.listeners, left)
                            : functions.send_each?(context, messages, count, token, &sent.first, &done, left)
                        return answer ?? Status.unsupported.rawValue
                    }
                }
            }
        }
        do throws(CrosstieError) { try outcome.get() } catch {
            throw inOneStep ? error : error.ofMessage(done)
        }
        // They may have been sent.
        guard sent.first > 0 else { throw CrosstieError(.uncertain, "the engine gave a sent message no number") }
        return sent
    }

    private func withOptionalBytes<Result>(
        _ token: StepToken?, _ body: (UnsafePointer<UInt8>?) -> Result
    ) -> Result {
        guard let token else { return body(nil) }
        return token.withBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self)) }
    }
}

extension CrosstieError {
    /// Whether the same may succeed later.
    fileprivate var mayPass: Bool { status == .uncertain || status == .unavailable || status == .timedOut }
}
