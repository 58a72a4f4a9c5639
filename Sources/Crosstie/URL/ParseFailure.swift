/// The reason why a URL was refused, and the byte. Making one costs nothing; ``error`` puts it into words.
package struct ParseFailure: Error, Equatable {
    package enum Reason: UInt8, Sendable {
        case empty, tooLong, normalFormTooLong
        case noScheme, scheme, schemeTooLong
        case forbiddenByte, utf8, escape, nul
        case userinfo, host, label, hostTooLong, hostMissing, ipv4, ipv6, port
        case dotSegment, control, decodedUTF8
        case tooManySegments, tooManyPairs, fragment
        case noDefaultScheme, networkPath
    }

    package let reason: Reason
    /// Counted from 0 in the URL as it was given.
    package let position: UInt32

    init(_ reason: Reason, at position: Int) {
        self.reason = reason
        self.position = UInt32(truncatingIfNeeded: position)
    }
}

extension ParseFailure {
    package var status: Status {
        switch reason {
        case .tooLong, .normalFormTooLong, .tooManySegments, .tooManyPairs: .limitExceeded
        case .utf8, .decodedUTF8: .invalidUTF8
        case .dotSegment, .control: .unroutablePath
        default: .invalidURL
        }
    }

    /// The failure for people, with its location in the URL.
    package var error: CrosstieError {
        CrosstieError(status, reason.message, at: "byte \(position)")
    }
}

extension ParseFailure.Reason {
    /// In words. Those about hosts serve patterns and generated URLs, too.
    var message: String {
        switch self {
        case .empty: "the URL is empty"
        case .tooLong: "the URL is longer than \(URLLimits.url) bytes"
        case .normalFormTooLong: "the normal form of the URL is longer than \(URLLimits.url) bytes"
        case .noScheme: "the URL has no scheme"
        case .scheme: "a scheme starts with a letter and holds letters, digits, '+', '.', '_' and '-'"
        case .schemeTooLong: "the scheme is longer than \(URLLimits.scheme) bytes"
        case .forbiddenByte: "a URL holds no space, control byte or backslash"
        case .utf8: "the URL is not valid UTF-8"
        case .escape: "'%' is not followed by two hexadecimal digits"
        case .nul: "the URL holds an escaped NUL"
        case .fragment: "the fragment holds a second '#'"
        case .noDefaultScheme: "the URL has no scheme, and the bus has no default one"
        case .networkPath: "the URL has no scheme, and '//' at its start names a host: a default scheme is for a path"
        default: partMessage
        }
    }

    private var partMessage: String {
        switch self {
        case .userinfo: "a user is named ('@' before the path)"
        case .host: "a host holds ASCII letters, digits, '-', '_' and '.' only"
        case .label: "a host's labels have 1 to \(URLLimits.label) bytes and no '-' at either end"
        case .hostTooLong: "the host is longer than \(URLLimits.host) bytes"
        case .hostMissing: "the host is missing"
        case .ipv4: "the host is not an IPv4 address of four plain decimals"
        case .ipv6: "the host is not an IPv6 address"
        case .port: "a port is a number from 1 to 65535 without leading zeros"
        case .dotSegment: "a path segment is '.' or '..'"
        case .control: "a path segment holds an escaped control byte"
        case .decodedUTF8: "the decoded escapes are not valid UTF-8"
        case .tooManySegments: "the path has more than \(URLLimits.segments) segments"
        default: "the query has more than \(URLLimits.pairs) pairs"
        }
    }
}
