// Types of one's own in the place of values, and failures by name.
import CrosstieCodable

// [types]
struct Query: Codable {
    var id: Int
}

struct Count: Codable {
    var inStock: Int
}
// [end]

let bus = try Bus("shop")

// [call]
try bus.addComponent("stock", actions: [Action("count") { (query: Query) in Count(inStock: query.id * 2) }])

let count = try bus.call("stock", "count", Query(id: 21)) as Count
print(count.inStock)
// [end]

// [route]
try bus.route("app://stock/:id") { request in
    let query = try request.arguments(as: Query.self)
    return try Value(encoding: Count(inStock: query.id))
}
print(try bus.open("app://stock/7").value.decoded(as: Count.self).inStock)
// [end]

// [errors]
do {
    try bus.open("app://nobody", timeout: .seconds(1))
} catch {
    switch error.status {
    case .noRoute, .denied: print("not here:", error)
    case .timedOut: print("too late")
    default: throw error
    }
}

do {
    try bus.call("stock", "count", ["id": "many"])
} catch Status.handlerFailed {
    print("the stock did not understand")
}
// [end]

do {
    _ = try (["items": [["price": 1], ["price": "2"]]] as Value).decoded(as: [String: [[String: Int]]].self)
} catch {
    print(error)
}
