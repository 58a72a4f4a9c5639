import Testing

@testable import Crosstie

private final class Picture: ValueConvertible {
    let name: String
    init(_ name: String) { self.name = name }
    func makeValue() throws -> Value { ["name": .string(name)] }
}

private final class Opaque: Sendable {}

@Suite struct ForeignObjectTests {
    @Test func theVeryObjectComesBack() throws {
        let picture = Picture("sea")
        let ref = try Value.map(ValueMap([("p", .foreign(ForeignObject(picture)))])).makeRef()
        defer { ref.release() }
        let foreign = Value(borrowing: ref)["p"]?.foreignValue
        #expect(foreign?.object(as: Picture.self) === picture)
        #expect(foreign?.object(as: Opaque.self) == nil)
        #expect(foreign?.tag == "swift")
        #expect(try foreign == ForeignObject(picture))
        #expect(try foreign != ForeignObject(Picture("sea")))
    }

    @Test func theObjectLivesAsLongAsTheValue() throws {
        weak var watched: Opaque?
        var value: Value?
        do {
            let object = Opaque()
            watched = object
            value = .foreign(try ForeignObject(object))
        }
        #expect(watched != nil)
        value = nil
        #expect(watched == nil && value == nil)
    }

    @Test func contentIsMadeOnDemand() throws {
        let value: Value = ["pictures": [.foreign(try ForeignObject(Picture("sea"))), 1]]
        #expect(try value.json() == #"{"pictures":[{"name":"sea"},1]}"#)
        #expect(try Value(messagePack: value.messagePack()) == ["pictures": [["name": "sea"], 1]])
        #expect(try ForeignObject(Picture("x")).materialized() == ["name": "x"])
    }

    @Test func objectsWithoutContentAreNamed() throws {
        let value: Value = ["user": ["an avatar": .foreign(try ForeignObject(Opaque()))]]
        for encode in [{ _ = try value.json() }, { _ = try value.messagePack() }] as [() throws -> Void] {
            #expect {
                try encode()
            } throws: { error in
                let error = error as? CrosstieError
                return error?.status == .foreignValue && error?.location == #"$.user["an avatar"]"#
            }
        }
    }
}
