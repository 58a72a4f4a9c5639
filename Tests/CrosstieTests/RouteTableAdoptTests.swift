import Testing

@testable import Crosstie

@Suite struct RouteTableAdoptTests {
    @Test func theOtherTableTakesThePlaceOfThisOne() throws {
        let table = try #require(RouteTable.create())
        defer { table.destroy() }
        let other = try #require(RouteTable.create(reserving: 100))
        for (pattern, value) in [("app://old", 1), ("app://both", 2)] as [(String, UInt32)] {
            _ = try table.insert(try makePattern(pattern), value: value, grace: {})
        }
        for (pattern, value) in [("app://new", 3), ("app://both", 4)] as [(String, UInt32)] {
            _ = try other.insert(try makePattern(pattern), value: value, grace: {})
        }
        var graces = 0
        table.adopt(other) {
            graces += 1
            // Readers that come while the writer waits see the new one.
            #expect(Self.value("app://both", in: table) == 4)
        }
        #expect(graces == 1)
        #expect(Self.value("app://old", in: table) == nil)
        #expect(Self.value("app://new", in: table) == 3)
        _ = try table.insert(try makePattern("app://old"), value: 5, grace: {})
        #expect(Self.value("app://old", in: table) == 5)
    }

    @Test func aReservedTableDoesNotMove() throws {
        let table = try #require(RouteTable.create(reserving: 1_000))
        defer { table.destroy() }
        for number in 0..<1_000 {
            let pattern = try makePattern("app://h\(number % 10)/entity\(number / 10 % 10)/:id/action\(number / 100)")
            _ = try table.insert(pattern, value: 1, grace: { Issue.record("the table has moved") })
        }
    }

    @Test(arguments: [-1, 0, Int.max])
    func anyReserveIsBounded(routes: Int) {
        RouteTable.create(reserving: routes)?.destroy()
    }

    private static func value(_ text: String, in table: RouteTable) -> UInt32? {
        let url = ParsedURL(text)
        return withUnsafeTemporaryAllocation(of: SegmentRange.self, capacity: URLLimits.captures) { captures in
            guard let captures = captures.baseAddress else { return nil }
            let match = table.match(url.location, segments: url.ranges, into: captures)
            return match.outcome == .found ? match.value : nil
        }
    }
}
