@testable import Crosstie

/// A generator whose numbers are the same in every run, so that a failure comes back.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension Value {
    /// A value of any plain kind, with children while `depth` lasts.
    static func random(using generator: inout SplitMix, depth: Int = 4, bytes: Bool = true) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 11 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .int(randomInt(using: &generator))
        case 3: return .double(randomDouble(using: &generator))
        case 4, 5: return .string(randomString(using: &generator))
        case 6: return bytes ? .bytes((0..<randomCount(using: &generator)).map { UInt8($0 & 255) }) : .null
        case 7, 8:
            return .list(
                (0..<randomCount(using: &generator)).map { _ in
                    random(using: &generator, depth: depth - 1, bytes: bytes)
                })
        default:
            var map = ValueMap()
            for _ in 0..<randomCount(using: &generator) {
                map[randomString(using: &generator)] = random(using: &generator, depth: depth - 1, bytes: bytes)
            }
            return .map(map)
        }
    }

    /// Of every width, so that each encoding comes up.
    static func randomInt(using generator: inout SplitMix) -> Int64 {
        Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
    }

    static func randomDouble(using generator: inout SplitMix) -> Double {
        let any = Double(bitPattern: generator.next())
        return any.isFinite ? any : 0.1
    }

    /// Mostly small; now and then past the counts at which encodings widen.
    static func randomCount(using generator: inout SplitMix) -> Int {
        Int.random(in: 0..<20, using: &generator) == 0
            ? Int.random(in: 10..<300, using: &generator) : Int.random(in: 0..<6, using: &generator)
    }

    static func randomString(using generator: inout SplitMix) -> String {
        let alphabet: [Character] = ["a", "Z", "9", " ", "\"", "\\", "\n", "\u{1}", "ä", "€", "😀", "/"]
        return String(
            (0..<randomCount(using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
    }
}
