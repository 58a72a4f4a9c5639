import Crosstie

/// The key of an entry whose type gives only its text.
struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { return nil }

    /// The key of `superEncoder()` and `superDecoder()`.
    static var parent: TextKey { TextKey("super") }
}
