@testable import Crosstie

/// URLs with escapes: each byte of the input names a piece of one, so that most of them are good. The two parsers make
/// the same of each.
enum EscapesTarget {
    private static let heads = ["app://h/", "app://users", "https://h.example/", "x://", "a-b://some-host/a", "app:/"]
        .map { Array($0.utf8) }
    private static let pieces = [
        "/", "/", "?", "a", "B-c", "&", "&", "=", "k=v", ".", "..", "%41", "%2f", "%2F", "%5C", "%5c", "%20", "%3d",
        "%26", "%C3%A9", "%c3%a9", "%E6%97%A5", "%F0%9F%98%80", "%2E", "%7e", "%25", "%23", "+", ";", "~", "users",
        "item", "0123456789abcde", "0123456789abcdef", "0123456789abcdefg", "#", "%ff", "%0A", "%00", "%C3", "%A9", "%",
        "%4", "%zz", "\u{E9}", " ", "a-long-piece-of-text-that-fills-more-than-one-block-of-sixty-four-bytes",
    ]
    .map { Array($0.utf8) }

    static func run(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        var url = heads[Int(first) % heads.count]
        // The last bytes are as likely as each piece, and are themselves.
        for byte in input.dropFirst() {
            url += Int(byte) < 5 * pieces.count ? pieces[Int(byte) % pieces.count] : [byte]
        }
        url.withUnsafeBytes { URLTarget.compareReadings(FuzzedURL($0, by: .careful), $0) }
    }
}
