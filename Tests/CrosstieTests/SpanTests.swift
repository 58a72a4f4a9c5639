internal import CCrosstie
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Spans of time in the interface, and statuses that are caught by name.
@Suite struct SpanTests {
    @Test(arguments: [
        (Duration.zero, UInt64(0), UInt64(0)), (.seconds(-1), 0, 0), (.nanoseconds(1), 1, 1),
        (.milliseconds(1), 1, 1_000_000), (.microseconds(1001), 2, 1_001_000), (.seconds(3), 3000, 3_000_000_000),
        (.seconds(9_000_000_000), .max, .max), (.forever, .max, .max), (.seconds(1e20), .max, .max),
        (.seconds(Int64.min), 0, 0),
    ])
    func spansAreClamped(span: Duration, milliseconds: UInt64, nanoseconds: UInt64) {
        #expect(span.wholeMilliseconds == milliseconds)
        #expect(span.wholeNanoseconds == nanoseconds)
    }

    @Test func aSpanOfNanosecondsComesBack() {
        for number: UInt64 in [0, 1, 999_999_999, 1_000_000_001, 60_000_000_000] {
            #expect(Duration(nanoseconds: number).wholeNanoseconds == number)
        }
    }

    @Test(arguments: [
        (UInt64(0), UInt64(0)), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (60_000_000_000, 60_000),
        (.max, 18_446_744_073_710),
    ])
    func nanosecondsAreRoundedUp(nanoseconds: UInt64, milliseconds: UInt64) {
        #expect(Clock.milliseconds(nanoseconds: nanoseconds) == milliseconds)
    }

    @Test func millisecondsStayInTheRangeOfTheClock() {
        #expect(Clock.nanoseconds(milliseconds: 60_000) == 60_000_000_000)
        #expect(Clock.nanoseconds(milliseconds: 18_446_744_073_709) == 18_446_744_073_709_000_000)
        #expect(Clock.nanoseconds(milliseconds: 18_446_744_073_710) == UInt64(Int64.max))
        #expect(Clock.nanoseconds(milliseconds: .max) == UInt64(Int64.max))
    }

    /// In the options that an engine gets, an expiry of 0 would be none.
    @Test func anEngineGetsNoShorterSpans() throws {
        var options = DurableOptions()
        (options.expires, options.backOff.initial, options.backOff.maximum) = (
            .microseconds(1), .microseconds(999), .microseconds(2001)
        )
        let given = ctie_durable_options(options)
        #expect(given.expires_ms == 1 && given.backoff_first_ms == 1 && given.backoff_most_ms == 3)
        let back = try DurableOptions(given)
        #expect(back.expiry == 1_000_000 && back.backOff.first == 1_000_000 && back.backOff.most == 3_000_000)
    }

    @Test func timeThatIsNotAheadHasPassed() throws {
        let bus = try Bus("spans")
        try bus.route("app://x") { request in
            _ = try request.retain()
            while !request.hasEnded {}
            return nil
        }
        for span in [Duration.zero, .seconds(-1)] {
            let call = try bus.openAsync("app://x", options: RequestOptions(timeout: span))
            #expect(try call.wait().status == .timedOut)
        }
    }

    @Test func theRestIsASpan() throws {
        let bus = try Bus("spans")
        try bus.route("app://x") { request in
            .bool(request.timeLeft.map { $0 > .zero && $0 <= .seconds(60) } ?? false)
        }
        #expect(try bus.open("app://x", timeout: .seconds(60)).value == true)
        try bus.route("app://y") { request in .bool(request.timeLeft == nil) }
        #expect(try bus.open("app://y", timeout: .forever).value == true)
    }

    @Test func optionsOfAWormholeTakeSpans() {
        var options = WormholeOptions()
        (options.timeout, options.expires, options.delay, options.retainAge) = (
            .forever, .zero, .seconds(-1), .seconds(2)
        )
        #expect(options.timeoutMilliseconds == .max && options.expiresMilliseconds == 1)
        #expect(options.delayMilliseconds == 0 && options.retainMilliseconds == 2000)
        options.expires = .forever
        #expect(options.expires == nil)
        var durable = DurableOptions()
        (durable.expires, durable.backOff.initial, durable.backOff.maximum) = (.zero, .seconds(1), .forever)
        #expect(durable.expiry == 1 && durable.backOff.first == 1_000_000_000 && durable.backOff.most == .max)
        #expect(durable.backOff.pause(afterAttempts: 100) == .max)
    }

    @Test func aStatusIsCaughtByItsName() throws {
        let bus = try Bus("statuses")
        try bus.route("app://somebody") { _ in nil }
        do {
            try bus.open("app://nobody")
            Issue.record("it was opened")
        } catch Status.denied {
            Issue.record("it was denied")
        } catch Status.noRoute {
        }
        switch Status.noRoute {
        case .denied: Issue.record("another status")
        case .noRoute: break
        default: Issue.record("no status")
        }
    }
}
