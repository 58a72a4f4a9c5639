import Testing

@testable import Crosstie

@Suite struct ValueTests {
    @Test func literalsAndAccessors() {
        let value: Value = ["id": 42, "half": 0.5, "name": "Ada", "tags": ["x", nil, true]]
        #expect(value["id"]?.intValue == 42)
        #expect(value["id"]?.doubleValue == 42)
        #expect(value["half"]?.doubleValue == 0.5)
        #expect(value["name"]?.stringValue == "Ada")
        #expect(value["tags"]?[2]?.boolValue == true)
        #expect(value["tags"]?[1]?.isNull == true)
        #expect(value["tags"]?[3] == nil && value["tags"]?[-1] == nil && value["none"] == nil)
        #expect(value["id"]?.stringValue == nil && value["name"]?["x"] == nil && value[0] == nil)
        #expect(Value.int(1 << 53).doubleValue != nil && Value.int((1 << 53) + 1).doubleValue == nil)
    }

    @Test func everyValueComesBack() throws {
        var generator = SplitMix(state: 1)
        for _ in 0..<300 {
            let value = Value.random(using: &generator)
            let ref = try value.makeRef()
            defer { ref.release() }
            #expect(Value(borrowing: ref) == value)
            let again = try value.makeRef()
            defer { again.release() }
            #expect(ref.isEqual(to: again))
        }
    }

    /// A value in which every part is shared by two others, this many levels deep.
    private static func shared(levels: Int, inMap: Bool) -> Value {
        (0..<levels).reduce("a part") { part, _ in inMap ? ["a": part, "b": part] : [part, part] }
    }

    @Test(arguments: [false, true])
    func partsThatOccurTwiceAreMadeOnce(inMap: Bool) throws {
        #expect(throws: CrosstieError.self) { try Self.shared(levels: 100, inMap: inMap).makeRef() }
        let value = Self.shared(levels: 20, inMap: inMap)
        let ref = try value.makeRef()
        defer { ref.release() }
        #expect(ref.total == (1 << 21) - 1)
        let again = Value(borrowing: ref)
        let halves = inMap ? [again["a"], again["b"]] : [again[0], again[1]]
        let addresses = halves.map { $0?.mapValue?.address ?? $0?.listValue?.withUnsafeBytes { $0.baseAddress } }
        #expect(addresses[0] != nil && addresses[0] == addresses[1])
        let small = Self.shared(levels: 17, inMap: inMap)
        let smallRef = try small.makeRef()
        defer { smallRef.release() }
        #expect(Value(borrowing: smallRef) == small)
    }

    @Test(arguments: [
        0.0, -0.0, 1, -1, 0.1, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, .infinity,
        -.infinity, 0x1p-127, 0x1p-128, 0x1p128, 0x1.fffp127, -0x1p-127, -0x1p128,
    ])
    func doublesKeepTheirBits(double: Double) throws {
        let ref = try ValueRef.double(double)
        defer { ref.release() }
        #expect(ref.kind == .double)
        #expect(ref.doubleValue?.bitPattern == double.bitPattern)
        #expect(ref.intValue == nil && ref.boolValue == nil)
    }

    @Test func everydayNumbersTakeNoMemory() throws {
        for double in [0.0, -0.0, 1.5, -1e30, 1e-30, 0x1p-127, 0x1.fffffffffffffp128] {
            #expect(try !ValueRef.double(double).isCell, "\(double)")
        }
        #expect(try !ValueRef.int(1 << 59).isCell)
        let large = try ValueRef.int(1 << 60)
        #expect(large.isCell)
        large.release()
    }

    @Test func referencesAreCounted() throws {
        let child = try ValueRef.string("a string")
        let counter = child.cell
        #expect(counter.pointee.references.load(ordering: .relaxed) == 1)
        var stack = ValueStack()
        try stack.push(child.retained(), key: .empty)
        let list = try stack.popList(from: 0)
        #expect(counter.pointee.references.load(ordering: .relaxed) == 2)
        list.release()
        #expect(counter.pointee.references.load(ordering: .relaxed) == 1)
        child.release()
    }

    @Test func nestingIsBounded() throws {
        var value = Value.list([])
        for _ in 1..<ValueRef.maxDepth { value = .list([value]) }
        try value.makeRef().release()
        for _ in 0..<1000 { value = .map(ValueMap([("k", value)])) }
        #expect { try value.makeRef() } throws: { ($0 as? CrosstieError)?.status == .limitExceeded }
    }

    @Test func utf8IsCheckedToTheEnd() {
        let good = ["", "plain ascii text", "ä", "1234567ä", "12345678😀", "\u{7FF}\u{800}\u{FFFF}\u{10FFFF}"]
        for text in good { #expect(Array(text.utf8).withUnsafeBytes { isUTF8($0) }, "\(text)") }
        let bad: [[UInt8]] = [
            [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x80, 0x80, 0xAF],
            Array("12345678".utf8) + [0xFF], Array("1234567".utf8) + [0xE2, 0x82],
        ]
        for bytes in bad { #expect(!bytes.withUnsafeBytes { isUTF8($0) }, "\(bytes)") }
    }
}
