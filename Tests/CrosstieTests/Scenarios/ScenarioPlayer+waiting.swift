internal import Glibc

@testable import Crosstie

/// The gates and events that handlers wait for. They hold the thread on which they run, as a host's would.
extension ScenarioPlayer {
    /// Waits at a gate until a step opens it.
    func wait_there(at gate: String) {
        change { $0.waiting[gate, default: 0] += 1 }
        if !waited(until: { self.gates.open.contains(gate) }) { fail("nobody opened \(gate)") }
        change { $0.waiting[gate, default: 0] -= 1 }
    }

    func blocked(_ step: ScenarioStep) async throws {
        let count = Int(step.number("count") ?? 1)
        _ = try await wait(for: "\(count) at \(step.gate)") {
            gates.waiting[step.gate, default: 0] >= count ? true : nil
        }
    }

    func unblock(_ step: ScenarioStep) { change { $0.open.insert(step.gate) } }

    func openAllGates() { change { $0.open.formUnion($0.waiting.keys) } }

    /// Stays until a request's deadline has passed.
    func outlast(_ request: Request) {
        if !waited(until: { request.timeLeft == .zero }) { fail("the deadline did not pass") }
    }

    /// The response to a call, for a handler that may run before the step that makes it is through.
    func awaited(_ name: String) throws -> Response {
        _ = waited { self.lookUp(PendingRequest.self, name)?.call != nil }
        guard let call = try find(PendingRequest.self, name).call else { throw Unexpected("there is no call \(name)") }
        let response = try call.wait(for: .seconds(30))
        guard response.status == .ok else { throw response.error }
        return response
    }

    /// Whether it comes true before a watchdog bites.
    private func waited(until holds: () -> Bool) -> Bool {
        for _ in 0..<30_000 {
            if holds() { return true }
            usleep(1000)
        }
        return false
    }
}

/// The gates of handlers.
struct ScenarioGates {
    var waiting: [String: Int] = [:]
    var open: Set<String> = []
}

extension ScenarioStep {
    var gate: String { text("gate", or: "gate") }
}
