internal import Glibc
import Synchronization
import Testing

@testable import Crosstie

/// A thread that matches in sections, which it counts, so that the writer can wait for it.
private final class Reader: @unchecked Sendable {
    private let table: RouteTable
    /// Odd inside a section.
    private let section = Atomic<UInt64>(0)
    private let stop = Atomic<Bool>(false)
    private let wrong = Atomic<Int>(0)
    private var thread = pthread_t()

    init(_ table: RouteTable) { self.table = table }

    func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context)
    }

    /// Ends the thread. Returns how many of its matches were wrong.
    func join() -> Int {
        stop.store(true, ordering: .relaxed)
        pthread_join(thread, nil)
        return wrong.load(ordering: .relaxed)
    }

    /// Waits until the thread has been outside a section.
    func grace() {
        let seen = section.load(ordering: .sequentiallyConsistent)
        guard seen % 2 == 1 else { return }
        while section.load(ordering: .sequentiallyConsistent) == seen { sched_yield() }
    }

    /// Matches again and again. Routes of value 1 are always there; another that is found is the one of its URL.
    private func run() {
        let fixed = (0..<500).map { ParsedURL("app://fixed/\($0)") }
        let urls = (0..<500).map { ParsedURL("app://h/\($0)/value\($0)") }
        withUnsafeTemporaryAllocation(of: SegmentRange.self, capacity: URLLimits.captures) { captures in
            guard let captures = captures.baseAddress else { return }
            var number = 0
            while !stop.load(ordering: .relaxed) {
                number = (number + 1) % urls.count
                section.add(1, ordering: .sequentiallyConsistent)
                let always = table.match(fixed[number].location, segments: fixed[number].ranges, into: captures)
                let other = table.match(urls[number].location, segments: urls[number].ranges, into: captures)
                section.add(1, ordering: .sequentiallyConsistent)
                let isRight = other.outcome == .none || (other.value == UInt32(number + 2) && other.captureCount == 1)
                if always.value != 1 || !isRight { wrong.add(1, ordering: .relaxed) }
            }
        }
    }
}

@Suite struct RouteTableConcurrencyTests {
    /// A writer adds, replaces and removes routes while two threads read: they see each route whole or not at all.
    @Test func readersSeeWholeRoutes() throws {
        let fixture = try RouteFixture()
        for number in 0..<500 {
            _ = try fixture.table.insert(try makePattern("app://fixed/\(number)"), value: 1, grace: {})
        }
        let readers = [Reader(fixture.table), Reader(fixture.table)]
        for reader in readers { reader.start() }
        func grace() { for reader in readers { reader.grace() } }
        var random = TestRandom(seed: 3)
        for round in 0..<40 {
            for number in (0..<500).shuffled(using: &random) {
                let pattern = try makePattern("app://h/\(number)/:v")
                if round % 2 == 0 {
                    _ = try fixture.table.insert(pattern, value: UInt32(number + 2), replacing: true) {
                        grace()
                    }
                    let deeper = try makePattern("app://h/\(number)/:v/round\(round)/:w.html")
                    let belowFixed = try makePattern("app://fixed/\(number)/deeper\(round)")
                    _ = try fixture.table.insert(belowFixed, value: 9_998, replacing: true) { grace() }
                    _ = try fixture.table.insert(deeper, value: 9_999, replacing: true) { grace() }
                } else {
                    fixture.table.remove(pattern)
                    fixture.table.remove(try makePattern("app://h/\(number)/:v/round\(round - 1)/:w.html"))
                }
            }
        }
        let wrong = withExtendedLifetime(fixture) { readers.map { $0.join() } }
        #expect(wrong == [0, 0])
    }

    /// A writer replaces the whole table again and again: a route that is in every one of them is always found.
    @Test func readersSeeWholeTables() throws {
        let table = try #require(RouteTable.create())
        func fill(_ table: RouteTable) throws {
            for number in 0..<500 {
                _ = try table.insert(try makePattern("app://fixed/\(number)"), value: 1, grace: {})
            }
        }
        try fill(table)
        let readers = [Reader(table), Reader(table)]
        for reader in readers { reader.start() }
        for _ in 0..<10 {
            let aside = try #require(RouteTable.create(reserving: 500))
            try fill(aside)
            table.adopt(aside) { for reader in readers { reader.grace() } }
        }
        #expect(readers.map { $0.join() } == [0, 0])
        table.destroy()
    }
}
