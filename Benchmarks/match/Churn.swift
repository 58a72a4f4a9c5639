import Crosstie
import Glibc
import Synchronization

/// The cost of a writer on another core to a reader: the same look-ups beside a thread that registers and removes
/// routes without pause, and beside one that waits.
final class Churn: Sendable {
    private static let rounds = 41
    private static let window = 500

    private let table: RouteTable
    private let writes = Atomic<Bool>(false)
    private let ends = Atomic<Bool>(false)
    private let written = Atomic<Int>(0)

    private init(_ table: RouteTable) { self.table = table }

    /// The reader's nanoseconds for a look-up, quiet and beside the writer, each the lower quartile of its rounds.
    /// Quiet and busy rounds take turns, so that a machine that drifts changes both.
    static func measure(_ routes: [String], _ paths: [String]) throws -> (quiet: Double, busy: Double)? {
        guard sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1, let table = try makeTable(routes) else { return nil }
        let (churn, urls) = (Churn(table), URLs(paths))
        let writer = churn.startWriter()
        var (quiet, busy): ([Double], [Double]) = ([], [])
        for round in 0..<2 * rounds {
            churn.writes.store(round % 2 == 1, ordering: .relaxed)
            usleep(1_000)
            // The thread's own time: what a busy machine takes from it does not count.
            let figures = run(urls, table, on: ThreadSlot.current, clock: CLOCK_THREAD_CPUTIME_ID)
            let took = figures.match / Double(urls.texts.count)
            if round % 2 == 0 { quiet.append(took) } else { busy.append(took) }
        }
        churn.ends.store(true, ordering: .relaxed)
        pthread_join(writer, nil)
        print("# a writer beside a reader registered and removed \(churn.written.load(ordering: .relaxed)) routes")
        return (lowerQuartile(quiet), lowerQuartile(busy))
    }

    private static func lowerQuartile(_ figures: [Double]) -> Double { figures.sorted()[figures.count / 4] }

    private func startWriter() -> pthread_t {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Churn>.fromOpaque(context).takeRetainedValue().write() }
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        return thread
    }

    /// Registers a route of a new shape and removes the one of some turns ago.
    private func write() {
        var number = 0
        while !ends.load(ordering: .relaxed) {
            guard writes.load(ordering: .relaxed) else {
                usleep(1_000)
                continue
            }
            if let pattern = Self.pattern(number) {
                _ = try? table.insert(pattern, value: 1, replacing: true, grace: ReadSide.waitForReaders)
            }
            if let old = Self.pattern(number - Self.window) { table.remove(old) }
            number += 1
            written.store(number, ordering: .relaxed)
        }
    }

    private static func pattern(_ number: Int) -> Pattern? {
        let text = Array("app://plugin\(number % 7)/page\(number)/:id".utf8)
        return try? text.withUnsafeBytes { try Pattern($0) }
    }
}
