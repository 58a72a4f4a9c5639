import ArgumentParser

/// An application's id: the name of its desktop file without ".desktop".
struct ApplicationID: ExpressibleByArgument, Hashable {
    let text: String

    /// The name of the desktop file.
    var file: String { text + ".desktop" }

    /// Nil for a name that no directory may have, or that xdg-open would read as several.
    init?(argument: String) {
        let isPlain = argument.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "._-".utf8.contains(byte)
            }
        }
        guard isPlain, (1...200).contains(argument.utf8.count), argument.first != ".", argument.first != "-" else {
            return nil
        }
        text = argument
    }

    /// Whether the id is also a well-known name of D-Bus.
    var isBusName: Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { $0.first.map { !$0.isNumber } ?? false }
    }
}
