import Testing

@testable import Crosstie

@Suite struct MessagePackTests {
    @Test func randomValuesRoundTrip() throws {
        var generator = SplitMix(state: 3)
        for _ in 0..<500 {
            let value = Value.random(using: &generator)
            #expect(try Value(messagePack: value.messagePack()) == value)
        }
    }

    @Test(
        arguments: [
            (Value.null, [0xC0]), (true, [0xC3]), (false, [0xC2]), (0, [0x00]), (127, [0x7F]), (128, [0xCC, 0x80]),
            (255, [0xCC, 0xFF]), (256, [0xCD, 1, 0]), (65536, [0xCE, 0, 1, 0, 0]), (-1, [0xFF]), (-32, [0xE0]),
            (-33, [0xD0, 0xDF]), (-128, [0xD0, 0x80]), (-129, [0xD1, 0xFF, 0x7F]),
            (-32769, [0xD2, 0xFF, 0xFF, 0x7F, 0xFF]),
            (4_294_967_296, [0xCF, 0, 0, 0, 1, 0, 0, 0, 0]), (1.5, [0xCB, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]),
            (-2_147_483_649, [0xD3, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF]), ("ä", [0xA2, 0xC3, 0xA4]),
            (.bytes([7]), [0xC4, 1, 7]), ([1], [0x91, 1]), (["k": nil], [0x81, 0xA1, 0x6B, 0xC0]),
        ] as [(Value, [UInt8])])
    func formsAreTheShortest(value: Value, bytes: [UInt8]) throws {
        #expect(try value.messagePack() == bytes)
        #expect(try Value(messagePack: bytes) == value)
    }

    @Test(
        arguments: [
            ([0xD9, 1, 0x61], "a"), ([0xDA, 0, 1, 0x61], "a"), ([0xDB, 0, 0, 0, 1, 0x61], "a"),
            ([0xD3, 0, 0, 0, 0, 0, 0, 0, 5], 5),
            ([0xCA, 0x3F, 0xC0, 0, 0], 1.5), ([0xDC, 0, 1, 1], [1]), ([0xDD, 0, 0, 0, 1, 1], [1]),
            ([0xC6, 0, 0, 0, 0], .bytes([])),
            ([0xDE, 0, 1, 0xD9, 1, 0x61, 1], ["a": 1]), ([0xDF, 0, 0, 0, 1, 0xA1, 0x61, 1], ["a": 1]),
        ] as [([UInt8], Value)])
    func widerFormsAreRead(bytes: [UInt8], value: Value) throws {
        #expect(try Value(messagePack: bytes) == value)
    }

    @Test(
        arguments: [
            ([], Status.invalidFormat, "byte 0"), ([0xC1], .invalidFormat, "byte 0"),
            ([0xC7, 1, 1, 1], .invalidFormat, "byte 0"),
            ([0xD4, 1, 1], .invalidFormat, "byte 0"), ([0x01, 0x02], .invalidFormat, "byte 1"),
            ([0x81, 0x01, 0x01], .invalidFormat, "byte 1"),
            ([0x92, 0x01, 0xA1], .invalidFormat, "byte 3"), ([0xA1, 0xFF], .invalidUTF8, "byte 0"),
            ([0x81, 0xA1, 0xFF, 0], .invalidUTF8, "byte 1"),
            ([0x82, 0xA1, 0x61, 0, 0xA1, 0x61, 0], .duplicateKey, "byte 0"),
            ([0xCF, 0x80, 0, 0, 0, 0, 0, 0, 0], .invalidFormat, "byte 0"),
            ([0xDD, 0xFF, 0xFF, 0xFF, 0xFF], .invalidFormat, "byte 0"),
            ([0xDF, 0xFF, 0xFF, 0xFF, 0xFF, 0xA0], .invalidFormat, "byte 0"),
            ([0xDB, 0xFF, 0xFF, 0xFF, 0xFF, 0x61], .invalidFormat, "byte 5"),
            ([0xC6, 0x7F, 0xFF, 0xFF, 0xFF], .invalidFormat, "byte 5"),
            ([0x93, 0x93, 0, 0, 0], .invalidFormat, "byte 1"),
        ] as [([UInt8], Status, String)])
    func malformed(bytes: [UInt8], status: Status, location: String) {
        do throws(CrosstieError) {
            _ = try Value(messagePack: bytes)
            Issue.record("it was read")
        } catch {
            #expect(error.status == status && error.location == location, "\(error)")
        }
    }

    @Test func nestingIsBounded() throws {
        let deepest = [UInt8](repeating: 0x91, count: ValueRef.maxDepth - 1) + [0x90]
        #expect(throws: Never.self) { try Value(messagePack: deepest) }
        #expect { try Value(messagePack: [0x91] + deepest) } throws: {
            ($0 as? CrosstieError)?.status == .limitExceeded
        }
        let endless = [UInt8](repeating: 0x91, count: 1 << 20)
        #expect { try Value(messagePack: endless) } throws: { ($0 as? CrosstieError)?.status == .limitExceeded }
    }

    @Test func everyTruncationIsAnError() throws {
        var generator = SplitMix(state: 4)
        for _ in 0..<20 {
            let message = try Value.random(using: &generator, depth: 3).messagePack()
            for count in 0..<min(message.count, 2000) {
                #expect(throws: CrosstieError.self) { try Value(messagePack: Array(message[..<count])) }
            }
        }
    }

    @Test func everyChangedMessageIsAValueOrAnError() throws {
        var generator = SplitMix(state: 5)
        var (values, errors) = (0, 0)
        for _ in 0..<20 {
            let message = try Value.random(using: &generator, depth: 3).messagePack()
            for _ in 0..<300 {
                var changed = message
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    changed[Int.random(in: changed.indices, using: &generator)] = UInt8(
                        truncatingIfNeeded: generator.next())
                }
                guard let value = try? Value(messagePack: changed) else { errors += 1; continue }
                values += 1
                #expect(throws: Never.self) { try value.messagePack() }
            }
        }
        #expect(values > 0 && errors > 0)
    }

    @Test func sizeIsThatOfTheMessage() throws {
        var generator = SplitMix(state: 6)
        for _ in 0..<200 {
            let ref = try Value.random(using: &generator).makeRef()
            defer { ref.release() }
            let size = try MessagePack.encodedSize(of: ref)
            var room = [UInt8](repeating: 0, count: size)
            #expect(room.withUnsafeMutableBytes { MessagePack.encode(ref, into: $0) } == size)
            let small = Int.random(in: 0..<size, using: &generator)
            #expect(room.withUnsafeMutableBytes { MessagePack.encode(ref, into: .init(rebasing: $0[..<small])) } == nil)
        }
    }
}
