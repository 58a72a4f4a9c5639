@testable import Crosstie

/// A first byte, which chooses the form, and a value in JSON or MessagePack: a decoded value can be encoded, and
/// decodes again to the same value.
enum ValuesTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        guard let form = input.first else { return }
        let text = Array(input.dropFirst())
        let value: Value
        do throws(CrosstieError) {
            value = try form == UInt8(ascii: "j") ? Value(json: text) : Value(messagePack: text)
        } catch {
            return demand(error.status != .ok && !error.message.isEmpty, "an error without words")
        }
        let packed = checkPacked(value)
        checkJSON(value, packed)
    }

    /// The wire form of every value that was read. Comparing messages tells NaN from NaN, and -0 from 0.
    private static func checkPacked(_ value: Value) -> [UInt8] {
        do throws(CrosstieError) {
            let packed = try value.messagePack()
            let again = try Value(messagePack: packed)
            demand(try again.messagePack() == packed, "packed and read it is \(again), not \(value)")
            demand(again == value || holdsNaN(value), "packed and read it is \(again), not \(value)")
            return packed
        } catch {
            demand(false, "cannot be packed: \(error)")
            return []
        }
    }

    /// Bytes, NaN and infinities have no JSON form, and a key that holds NUL is not read. Everything else is written
    /// and read, in one line and in several.
    private static func checkJSON(_ value: Value, _ packed: [UInt8]) {
        do throws(CrosstieError) {
            for pretty in [false, true] {
                let text = try value.json(pretty: pretty)
                let again = try Value(json: text)
                demand(try again.messagePack() == packed, "\(text) is read as \(again), not \(value)")
                demand(try again.json(pretty: pretty) == text, "\(text) is written differently the second time")
            }
        } catch {
            demand(!isPlain(value), "cannot be written as JSON and read again: \(error)")
        }
    }

    private static func holdsNaN(_ value: Value) -> Bool {
        switch value {
        case .double(let number): number.isNaN
        case .list(let items): items.contains(where: holdsNaN)
        case .map(let map): map.contains { holdsNaN($0.value) }
        default: false
        }
    }

    private static func isPlain(_ value: Value) -> Bool {
        switch value {
        case .double(let number): number.isFinite
        case .bytes: false
        case .list(let items): items.allSatisfy(isPlain)
        case .map(let map): map.allSatisfy { isPlain($0.value) && !$0.key.utf8.contains(0) }
        default: true
        }
    }
}
