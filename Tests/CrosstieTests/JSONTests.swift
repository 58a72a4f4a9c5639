import Testing

@testable import Crosstie

@Suite struct JSONTests {
    @Test func randomValuesRoundTrip() throws {
        var generator = SplitMix(state: 2)
        for _ in 0..<300 {
            let value = Value.random(using: &generator, bytes: false)
            #expect(try Value(json: value.json()) == value)
            #expect(try Value(json: value.json(pretty: true)) == value)
        }
    }

    @Test func orderAndEscapesAreKept() throws {
        let text = #"{"b":"\u0000\n\"\\/ä","a":[1,1.0,1e+300,-0.0,9223372036854775807]}"#
        #expect(try Value(json: text).json() == text)
    }

    @Test(arguments: [
        ("", Status.invalidFormat, "line 1, column 0"), ("[1,]", .invalidFormat, "line 1, column 4"),
        ("{\n\"a\":1,\n\"a\":2}", .duplicateKey, "line 3, column 3"), ("01", .invalidFormat, "line 1, column 1"),
        ("9223372036854775808", .invalidFormat, "line 1, column 19"), ("1e309", .invalidFormat, "line 1, column 5"),
        ("NaN", .invalidFormat, "line 1, column 3"), (#""\udead""#, .invalidFormat, "line 1, column 8"),
        ("[1] x", .invalidFormat, "line 1, column 5"), ("'a'", .invalidFormat, "line 1, column 1"),
    ])
    func malformed(text: String, status: Status, location: String) {
        do throws(CrosstieError) {
            _ = try Value(json: text)
            Issue.record("it was read")
        } catch {
            #expect(error.status == status && error.location == location, "\(error)")
        }
    }

    @Test func invalidTextIsRefused() {
        #expect { try Value(json: [0x22, 0xFF, 0x22]) } throws: { ($0 as? CrosstieError)?.status == .invalidUTF8 }
    }

    @Test(
        arguments: [
            (Value.list([.bytes([1])]), "$[0]"), (["a": ["b": .double(.nan)]], "$.a.b"),
            (.double(.infinity), "$"), (["": [.int(1), .bytes([])]], #"$[""][1]"#),
        ] as [(Value, String)])
    func whatHasNoFormIsNamed(value: Value, location: String) {
        #expect {
            try value.json()
        } throws: { error in
            let error = error as? CrosstieError
            return error?.status == .wrongType && error?.location == location
        }
    }

    @Test func everyChangedTextIsAValueOrAnError() throws {
        let text = Array(#"{"id":-12,"x":[1.5e3,"ä\u00e9\n",true,null],"y":{"z":{}}}"#.utf8)
        var values = 0
        for offset in text.indices {
            for change: UInt8 in [1, 2, 4, 8, 16, 32, 64, 128] {
                var changed = text
                changed[offset] ^= change
                if (try? Value(json: changed)) != nil { values += 1 }
            }
            #expect(throws: CrosstieError.self) { try Value(json: Array(text[..<offset])) }
        }
        #expect(values > 0)
    }
}
