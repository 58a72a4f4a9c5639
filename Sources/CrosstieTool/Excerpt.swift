/// A piece of a text for a terminal, one column for each character, and the column of one of its bytes.
struct Excerpt {
    /// Characters shown on either side of the byte.
    private static var reach: Int { 60 }

    private let text: String
    private let column: Int

    init(of whole: String, at position: Int) {
        let column = String(decoding: whole.utf8.prefix(position), as: UTF8.self).count
        let start = max(0, column - Excerpt.reach)
        let piece = whole.dropFirst(start)
        let shown = piece.prefix(column - start + Excerpt.reach)
        let before = start > 0 ? "…" : ""
        let after = shown.endIndex < piece.endIndex ? "…" : ""
        text = before + String(shown.map(Excerpt.visible)) + after
        self.column = column - start + before.count
    }

    /// The piece, and below it a caret with a message.
    func marked(with message: String) -> String {
        "\(text)\n\(String(repeating: " ", count: column))^ \(message)"
    }

    /// Characters that would move the cursor or control the terminal are replaced.
    private static func visible(_ character: Character) -> Character {
        character.unicodeScalars.contains(where: \.steers) ? "\u{FFFD}" : character
    }
}
