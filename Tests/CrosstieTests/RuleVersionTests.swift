import Testing

@testable import Crosstie

@Suite struct RuleVersionTests {
    @Test(arguments: ["0.0.0", "1.2.3", "10.0.200", "4294967295.4294967295.4294967295"])
    func comesBack(text: String) { #expect(RuleVersion(text)?.description == text) }

    @Test(arguments: [
        "", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-a", "1..3", "-1.2.3", "+1.2.3", "4294967296.0.0", "1.2.٣",
    ])
    func refuses(text: String) { #expect(RuleVersion(text) == nil) }

    /// By numbers and not by text: 1.10 comes after 1.9.
    @Test func isOrdered() {
        let texts = [
            "0.0.0", "0.0.9", "0.0.10", "0.9.99", "0.10.0", "1.0.0", "1.0.1", "1.9.0", "1.10.0", "2.0.0", "10.0.0",
        ]
        let versions = texts.compactMap(RuleVersion.init)
        #expect(versions.count == texts.count)
        for (index, version) in versions.enumerated() {
            for (other, later) in versions.enumerated() {
                #expect((version < later) == (index < other) && (version == later) == (index == other))
            }
        }
    }
}
