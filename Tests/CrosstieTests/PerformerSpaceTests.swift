import Testing

@testable import Crosstie

@Suite struct PerformerSpaceTests {
    private func space(allowing targets: [String]) throws -> PerformerSpace {
        var space = PerformerSpace(own: [CSymbols.prefix: 1, SwiftPerformers.prefix: 2])
        for target in targets { #expect(try space.allow(Array(target.utf8))) }
        return space
    }

    private func allows(_ space: PerformerSpace, _ target: String) -> Bool {
        Array(target.utf8).withUnsafeBytes { space.allows($0) }
    }

    @Test func anEntryStandsForItselfAndAllBehindAColon() throws {
        let space = try space(allowing: ["python:shop.views", "c:greet", "c:libm.so.6", "swift:Cart"])
        for target in ["python:shop.views", "python:shop.views:Cart", "python:shop.views:Cart:inner", "swift:Cart"] {
            #expect(allows(space, target), "\(target)")
        }
        for target in [
            "python:shop", "python:shop.viewsX", "python:shop.views.more", "python:os:system", "swift:Other",
            "Python:shop.views:Cart", "pythonX:shop.views", "python:shop.view", "python:", "c:greeting",
        ] {
            #expect(!allows(space, target), "\(target)")
        }
    }

    @Test func aCSymbolStandsForItselfAlone() throws {
        let space = try space(allowing: ["c:greet", "c:libm.so.6"])
        #expect(allows(space, "c:greet"))
        #expect(!allows(space, "c:greet:system"))
        #expect(!allows(space, "c:libm.so.6:cos"))
    }

    /// Texts that look the same are different bytes to a resolver.
    @Test func bytesAreCompared() throws {
        let space = try space(allowing: ["python:caf\u{e9}"])
        #expect(allows(space, "python:caf\u{e9}:A"))
        #expect(!allows(space, "python:cafe\u{301}:A"))
    }

    @Test func allowingTwiceChangesNothing() throws {
        var space = try space(allowing: ["x:y"])
        #expect(try !space.allow(Array("x:y".utf8)))
    }

    @Test func entriesAreBounded() throws {
        var space = PerformerSpace(own: [:])
        for number in 0..<PerformerSpace.maximumAllowed { _ = try space.allow(Array("x:\(number)".utf8)) }
        #expect(try !space.allow(Array("x:0".utf8)))
        #expect { _ = try space.allow(Array("x:one more".utf8)) } throws: {
            ($0 as? CrosstieError)?.status == .limitExceeded
        }
    }

    @Test func prefixesAreBoundedBesideTheLibrarysOwn() throws {
        var space = try space(allowing: [])
        for number in 0..<PerformerSpace.maximumResolvers {
            let prefix = Array("p\(number)".utf8)
            #expect(space.hasRoom(forPrefix: prefix))
            #expect(space.set(prefix, to: 7) == 0)
        }
        #expect(!space.hasRoom(forPrefix: Array("more".utf8)))
        #expect(space.hasRoom(forPrefix: Array("p0".utf8)))
        #expect(space.set(Array("p0".utf8), to: 0) == 7)
        #expect(space.hasRoom(forPrefix: Array("more".utf8)))
    }
}
