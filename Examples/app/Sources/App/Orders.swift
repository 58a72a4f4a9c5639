import Crosstie
import Glibc

/// The component "orders": sells what the stock has, at the plug-in's price.
final class Orders: Component {
    static let name = "orders"

    static let actions = [
        Action("place", doc: "Sells some apples and answers with the bill.", Orders.place),
        Action("describe", doc: "A bill in words; the Python plug-in asks for it.", Orders.describe),
        Action(Event.willTerminate, isEvent: true, Orders.leave),
    ]

    private let bus: Bus

    init(_ bus: Bus) { self.bus = bus }

    private func place(_ request: Request) throws -> Value? {
        let count = request.params["count"] ?? 1
        try bus.call("stock", "take", ["count": count])  // in C
        let bill = try bus.call("prices", "bill", ["count": count])  // in Python, which calls back
        return bill.value
    }

    private func describe(_ request: Request) -> Value? {
        let (count, total) = (request.params["count"] ?? 0, request.params["total"] ?? 0)
        return "\(count.intValue ?? 0) for \(total.intValue ?? 0)"
    }

    private func leave(_ request: Request) -> Value? {
        print("orders: closed")
        fflush(nil)  // Python has an output of its own
        return false
    }
}
