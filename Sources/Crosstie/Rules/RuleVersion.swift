/// A document's version, `MAJOR.MINOR.PATCH`: three numbers up to 4,294,967,295 without leading zeros.
package struct RuleVersion: Hashable, Sendable {
    package let major: UInt32
    package let minor: UInt32
    package let patch: UInt32

    package init(major: UInt32, minor: UInt32, patch: UInt32) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// Nil when the text has another form.
    package init?(_ text: String) {
        let numbers = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).map(Self.number)
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else {
            return nil
        }
        self.init(major: major, minor: minor, patch: patch)
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt32? {
        guard let first = digits.first, digits.allSatisfy(ASCII.isDigit) else { return nil }
        guard first != 0x30 || digits.count == 1 else { return nil }
        return UInt32(Substring(digits))
    }
}

extension RuleVersion: Comparable {
    package static func < (left: RuleVersion, right: RuleVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

extension RuleVersion: CustomStringConvertible {
    package var description: String { "\(major).\(minor).\(patch)" }
}
