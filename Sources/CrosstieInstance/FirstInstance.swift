/// The first instance of an application, as others see it.
package struct FirstInstance {
    package let pid: Int32
    /// Nanoseconds since 1970; nil if it has just ended.
    package let since: Int64?
    /// Whether it opens URLs; nil if it did not answer.
    package let isReady: Bool?
    /// Whether it has its name on the session bus; nil if it did not answer.
    package let hasBusName: Bool?

    /// Asks the first instance. Nil when there is none.
    ///
    /// - Throws: *unsafeFile*, *systemFailure*; *timedOut* when a process has the claim and no socket.
    package static func ask(
        _ location: InstanceLocation, until deadline: UInt64
    ) throws(CrosstieError) -> FirstInstance? {
        while true {
            if case .connected(let socket) = try location.connect(), socket.send(InstanceFrame(.ask)) == 0 {
                switch socket.receive(until: deadline) {
                case .frame(let frame) where frame.kind == .state:
                    return FirstInstance(
                        pid: socket.pid, since: location.since, isReady: frame.body["ready"]?.boolValue ?? false,
                        hasBusName: frame.body["dbus"]?.boolValue ?? false)
                case .late, .unwanted, .malformed, .frame:
                    return FirstInstance(pid: socket.pid, since: location.since, isReady: nil, hasBusName: nil)
                case .ended: break
                }
            }
            guard location.isHeld else { return nil }
            guard Clock.now() < deadline else {
                throw CrosstieError(.timedOut, "a process claims \(location.application), and does not answer")
            }
            Clock.sleep(nanoseconds: 1_000_000)
        }
    }
}
