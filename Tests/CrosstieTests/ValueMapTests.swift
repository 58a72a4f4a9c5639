import Testing

@testable import Crosstie

@Suite struct ValueMapTests {
    @Test func orderIsThatOfInsertion() {
        var map = ValueMap([("b", 1), ("a", 2), ("c", 3)])
        map["a"] = nil
        map["b"] = 4
        map["a"] = 5
        #expect(map.keys == ["b", "c", "a"])
        #expect(map["b"] == 4 && map["c"] == 3 && map["a"] == 5 && map["d"] == nil)
        #expect(map[1].key == "c")
    }

    @Test func equalWhateverTheOrder() {
        let left = ValueMap([("a", 1), ("b", 2)])
        let right = ValueMap([("b", 2), ("a", 1)])
        #expect(left == right && left.hashValue == right.hashValue)
        #expect(left != ValueMap([("a", 1)]) && left != ValueMap([("a", 1), ("b", 3)]))
    }

    @Test func keysCompareByTheirBytes() throws {
        let map = ValueMap([("\u{E9}", 1), ("e\u{301}", 2)])
        #expect(map.count == 2)
        let ref = try Value.map(map).makeRef()
        defer { ref.release() }
        #expect(Value(borrowing: ref).mapValue?.count == 2)
    }

    @Test(arguments: [0, 1, 8, 9, 10, 16, 17, 1000])
    func referencesFindEveryKey(count: Int) throws {
        let map = ValueMap((0..<count).map { ("key \($0)", Value.int(Int64($0))) })
        let ref = try Value.map(map).makeRef()
        defer { ref.release() }
        for index in 0..<count {
            let found = Array("key \(index)".utf8).withUnsafeBytes { ref.value(for: $0) }
            #expect(found?.intValue == Int64(index))
        }
        #expect(Array("key \(count)".utf8).withUnsafeBytes { ref.value(for: $0) } == nil)
    }

    @Test(arguments: [2, 8, 9, 100])
    func repeatedKeysAreRefused(count: Int) throws {
        let keys = (0..<count).map { Array("key \($0 % (count - 1))".utf8) }
        let joined = keys.flatMap { $0 }
        var items: [MapItem] = []
        let status: Status? = joined.withUnsafeBytes { bytes in
            var start = 0
            for key in keys {
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + key.count])
                items.append(MapItem(key: part, value: .null))
                start += key.count
            }
            return items.withUnsafeBufferPointer { buffer in
                do throws(CrosstieError) {
                    try ValueRef.map(taking: buffer).release()
                    return nil
                } catch {
                    return error.status
                }
            }
        }
        #expect(status == .duplicateKey)
    }
}
