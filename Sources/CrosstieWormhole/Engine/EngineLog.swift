import Synchronization

/// The log lines of an engine, and those about it. Of many wrong messages only some are reported.
final class EngineLog: Sendable {
    private let log: WormholeLog?
    private let faultCount = Atomic<UInt64>(0)

    /// The first ones are all reported; then only each whose number is a power of two.
    private static var reportedCount: UInt64 { 8 }

    init(_ log: WormholeLog?) { self.log = log }

    func write(_ level: LogLevel, _ line: String) { log?.write(level, line) }

    /// Reports a dropped message. Whether a line was written.
    func report(_ fault: String) -> Bool {
        let count = faultCount.add(1, ordering: .relaxed).newValue
        guard count <= EngineLog.reportedCount || count & (count &- 1) == 0 else { return false }
        write(.error, "\(fault): CTIE_E_CORRUPT, dropped, number \(count)")
        return true
    }
}
