import Synchronization

/// The handles of a request's response and of its call that are exposed to hosts.
package struct Exposure: ~Copyable, Sendable {
    private let word = Atomic<UInt32>(0)

    private static var responseMask: UInt32 { 0xFFFF }
    private static var call: UInt32 { 1 << 16 }

    /// The most responses that can be counted.
    static var maximumResponses: UInt32 { responseMask }

    /// A callback to which the response is lent.
    enum Loan: UInt32 {
        case completion = 0x2_0000
        /// A callback that may change the response.
        case change = 0x4_0000
    }

    /// Prepares a fresh record.
    @inline(__always)
    func reset() { word.store(0, ordering: .relaxed) }

    // MARK: - The response

    /// Exposes the first response, for a caller that has the request to itself.
    @inline(__always)
    func exposeResponse() { word.store(1, ordering: .relaxed) }

    /// Exposes the response once more. Returns false if too many are out.
    func addResponse() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while true {
            guard seen & Self.responseMask < Self.maximumResponses else { return false }
            let (won, now) = word.compareExchange(expected: seen, desired: seen + 1, ordering: .relaxed)
            if won { return true }
            seen = now
        }
    }

    /// Returns false if no response is out.
    func removeResponse() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while true {
            guard seen & Self.responseMask != 0 else { return false }
            let (won, now) = word.compareExchange(expected: seen, desired: seen - 1, ordering: .acquiringAndReleasing)
            if won { return true }
            seen = now
        }
    }

    /// Whether the response's handle is valid.
    @inline(__always)
    var hasResponse: Bool {
        let loans = Loan.completion.rawValue | Loan.change.rawValue
        return word.load(ordering: .relaxed) & (Self.responseMask | loans) != 0
    }

    func lend(_ loan: Loan) { word.bitwiseOr(loan.rawValue, ordering: .relaxed) }

    func takeBack(_ loan: Loan) { word.bitwiseAnd(~loan.rawValue, ordering: .relaxed) }

    func isLent(_ loan: Loan) -> Bool { word.load(ordering: .relaxed) & loan.rawValue != 0 }

    // MARK: - The call

    /// Starts an asynchronous request, with a call or without.
    func start(withCall: Bool) { word.store(withCall ? Self.call : 0, ordering: .relaxed) }

    /// Whether the call's handle is valid.
    var hasCall: Bool { word.load(ordering: .acquiring) & Self.call != 0 }

    /// Only with the process's lock, so that one release alone finds the call.
    func removeCall() { word.bitwiseAnd(~Self.call, ordering: .releasing) }
}
