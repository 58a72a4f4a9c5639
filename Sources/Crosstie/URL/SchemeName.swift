/// Schemes that hosts and documents name outside any URL.
enum SchemeName {
    /// The error in a scheme, in either case; nil for none.
    static func problem(in scheme: String) -> ParseFailure.Reason? {
        guard scheme.utf8.count <= URLLimits.scheme else { return .schemeTooLong }
        guard let first = scheme.utf8.first, ASCII.isLetter(first), scheme.utf8.allSatisfy(ASCII.isScheme) else {
            return .scheme
        }
        return nil
    }

    /// The status for it.
    static func status(of problem: ParseFailure.Reason, else other: Status) -> Status {
        problem == .schemeTooLong ? .limitExceeded : other
    }

    static func lowerCase(_ scheme: String) -> String { String(decoding: scheme.utf8.map(ASCII.lower), as: UTF8.self) }
}
