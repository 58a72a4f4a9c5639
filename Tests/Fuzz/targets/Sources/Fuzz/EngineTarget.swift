@testable import Crosstie
@testable import CrosstieWormhole

/// Messages that an engine delivers to four listeners, in pieces: what they are, what the listeners do, and their fields.
enum EngineTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        let fuzzed = FuzzedEngine()
        FuzzedEngine.current = fuzzed
        for piece in Pieces.of(input, limit: 256) { fuzzed.take(piece) }
        fuzzed.end()
        FuzzedEngine.current = nil
    }
}
