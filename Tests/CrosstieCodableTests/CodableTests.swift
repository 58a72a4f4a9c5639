import CrosstieCodable
import Testing

private enum Colour: String, Codable { case red, green }

private enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case nothing
}

private struct Item: Codable, Equatable {
    var name: String
    var price: Int
    var colour: Colour?
    var tags: [String] = []
}

private struct Order: Codable, Equatable {
    var items: [Item]
    var shape: Shape
    var blob: [UInt8]
    var extra: Value
    var prices: [String: Double]
    var isPaid: Bool
    var small: UInt8
    var nothing: Int?
}

private final class Nested: Codable { var inner: Nested? }

/// Swift's own types as values.
@Suite struct CodableTests {
    private let order = Order(
        items: [Item(name: "pen", price: 3, colour: .red), Item(name: "cup", price: 4, tags: ["a", "b"])],
        shape: .circle(radius: 1.5), blob: [0, 255], extra: ["any": [1, nil]], prices: ["x": 1.5], isPaid: true,
        small: 200)

    @Test func everyKindComesBack() throws {
        let value = try Value(encoding: order)
        #expect(value["blob"] == .bytes([0, 255]))
        #expect(value["items"]?[0]?["colour"] == "red")
        #expect(value["items"]?[1]?["colour"] == nil)
        #expect(value["extra"] == ["any": [1, nil]])
        #expect(value["shape"] == ["circle": ["radius": 1.5]])
        #expect(try value.decoded(as: Order.self) == order)
        let passed = try Value(messagePack: try value.messagePack())
        #expect(try passed.decoded() as Order == order)
    }

    @Test func scalarsAndListsNeedNoType() throws {
        #expect(try Value(encoding: 42) == 42)
        #expect(try Value(encoding: [1, 2]) == [1, 2])
        #expect(try Value(encoding: Optional<Int>.none) == .null)
        #expect(try Value(encoding: [Optional(1), nil]) == [1, nil])
        #expect(try ([1, nil] as Value).decoded(as: [Int?].self) == [1, nil])
        #expect(try Value.int(7).decoded(as: Int?.self) == 7)
        #expect(try Value.null.decoded(as: Int?.self) == nil)
        #expect(try ([1, 255] as Value).decoded(as: [UInt8].self) == [1, 255])
        #expect(try Value.int(2).decoded(as: Double.self) == 2)
        struct Nothing: Codable {}
        #expect(try Value(encoding: Nothing()) == [:])
    }

    private func refusal<Content: Decodable>(_ value: Value, as type: Content.Type) -> CrosstieError? {
        #expect(throws: CrosstieError.self) { try value.decoded(as: type) }
    }

    @Test func errorsNameTheLocation() throws {
        var value = try Value(encoding: order)
        guard case .map(var map) = value, case .list(var items)? = map["items"] else { return }
        items[1] = ["name": "cup", "price": "4", "tags": []]
        map["items"] = .list(items)
        value = .map(map)
        let error = refusal(value, as: Order.self)
        #expect(error?.status == .wrongType)
        #expect(error?.message == "items[1].price: expected an integer, found text")
        #expect(error?.location == "items[1].price")
        #expect(error.map { "\($0)" } == "items[1].price: expected an integer, found text")
        #expect(refusal(["name": "pen"], as: Item.self)?.message == "price: is missing")
        #expect(refusal(["name": "pen"], as: Item.self)?.status == .invalidParameter)
        #expect(refusal(300, as: UInt8.self)?.message == "expected an integer from 0 to 255, found 300")
        #expect(refusal(1.5, as: Int.self)?.message == "expected an integer, found a number")
        #expect(refusal([1], as: Item.self)?.message == "expected a map, found a list")
        #expect(refusal(["colour": "blue", "name": "", "price": 1, "tags": []], as: Item.self)?.location == "colour")
    }

    @Test func tooLargeOrTooDeepValuesAreRefused() throws {
        let large = #expect(throws: CrosstieError.self) { try Value(encoding: ["x": UInt64.max]) }
        #expect(large?.status == .limitExceeded && large?.location == "x")
        let outermost = Nested()
        var innermost = outermost
        for _ in 0..<200 {
            let next = Nested()
            innermost.inner = next
            innermost = next
        }
        #expect(throws: CrosstieError.self) { try Value(encoding: outermost) }
        var deep: Value = [:]
        for _ in 0..<10_000 { deep = ["inner": deep] }
        #expect(refusal(deep, as: Nested.self)?.status == .limitExceeded)
    }

    @Test func callsTakeAndGiveObjects() throws {
        struct Query: Codable { var id: Int }
        struct Count: Codable, Equatable { var inStock: Int }
        let bus = try Bus("codable")
        try bus.addComponent(
            "stock",
            actions: [
                Action("count") { (query: Query) in Count(inStock: query.id) },
                Action("echo") { request in request.params },
            ])
        #expect(try bus.call("stock", "count", Query(id: 42)) as Count == Count(inStock: 42))
        #expect(try bus.call("stock", "echo", Query(id: 1)).value == ["id": 1])
        #expect(try bus.call("stock", "echo", ["b": 1, "a": 2]).value.mapValue?.keys == ["b", "a"])
        let error = #expect(throws: CrosstieError.self) { try bus.call("stock", "count", ["id": "x"]) }
        #expect(error?.status == .handlerFailed)
        #expect(error?.message == "id: expected an integer, found text")
    }

    @Test func parametersOfAURLAreAnObject() throws {
        struct Page: Decodable, Equatable {
            var id: Int
            var all: Bool
            var tab: String?
        }
        let bus = try Bus("codable")
        try bus.route("app://users/:id") { request in
            let page = try request.arguments(as: Page.self)
            #expect(page == Page(id: 42, all: true, tab: nil))
            return nil
        }
        try bus.open("app://users/42?all=true")
    }

    @Test func messagesHoldObjects() throws {
        var options = WormholeOptions()
        options.isInMemory = true
        let wormhole = try Wormhole("codable", options: options)
        let item = Item(name: "pen", price: 3)
        try wormhole.send("item", item)
        #expect(try wormhole.message("item")?.decoded() == item)
    }
}
