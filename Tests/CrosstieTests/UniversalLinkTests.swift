import Testing

@testable import Crosstie

struct UniversalLinkTests {
    private static func activity(_ url: String) -> Value {
        ["activityType": "NSUserActivityTypeBrowsingWeb", "webpageURL": .string(url)]
    }

    @Test(arguments: [
        "https://example.com/app", "https://example.com/app/", "https://EXAMPLE.com/app/7?x=1#y",
        "https://example.com:443/app", "https://example.com/a%70p/7",
    ])
    func claimsItsPagesAndThoseBelow(_ url: String) throws {
        #expect(try #require(UniversalLink("https://example.com/app")).claims(Self.activity(url)))
        #expect(try #require(UniversalLink("https://Example.com:443/app/")).claims(Self.activity(url)))
    }

    @Test(arguments: [
        "https://example.com/apple", "https://example.com/ap", "https://example.com/", "http://example.com/app",
        "https://example.com.evil/app", "https://example.com:8443/app", "https://sub.example.com/app",
        "https://example.com/../app2", "app://example.com/app", "no URL", "",
    ])
    func leavesOthers(_ url: String) throws {
        #expect(!(try #require(UniversalLink("https://example.com/app")).claims(Self.activity(url))))
    }

    @Test func anOriginAloneClaimsAllOfIt() throws {
        let link = try #require(UniversalLink("https://example.com"))
        #expect(link.claims(Self.activity("https://example.com")))
        #expect(link.claims(Self.activity("https://example.com/any/page")))
        #expect(!link.claims(Self.activity("https://example.com.evil")))
    }

    @Test func otherActivitiesAreNobodys() throws {
        let link = try #require(UniversalLink("https://example.com"))
        #expect(!link.claims(["activityType": "com.example.editing", "webpageURL": "https://example.com"]))
        #expect(!link.claims(["webpageURL": "https://example.com"]))
        #expect(!link.claims(["activityType": "NSUserActivityTypeBrowsingWeb"]))
        #expect(!link.claims(["activityType": "NSUserActivityTypeBrowsingWeb", "webpageURL": 7]))
        #expect(!link.claims(.null))
    }

    @Test(arguments: ["app://example.com", "example.com", "", "https://", "mailto:a@example.com"])
    func isAWebAddress(_ url: String) { #expect(UniversalLink(url) == nil) }
}
