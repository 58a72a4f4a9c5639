import ArgumentParser
import Crosstie

/// A failure's message, made safe for a terminal, because it may quote foreign text.
struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description.harmless }
}
