import Core
import Crosstie
import Glibc
import Interpreter

let bus = try Bus.shared("shop")  // with the C core's component, as every shared bus
try bus.addComponent(Orders(bus))
guard interpreter_import("prices") else { exit(1) }

for component in try bus.components() {
    print("\(component.language): \(component.name) \(component.actions.map(\.name))")
}

print("placed:", try bus.call("orders", "place", ["count": 4]).value.stringValue ?? "nothing")
do {
    try bus.call("orders", "place", ["count": 40])
} catch {
    print("refused: \(error.message) (\(error.response?.code ?? 0))")
}
print("filled up to", try bus.call("stock", "fill", ["count": 44]).value.intValue ?? 0)

// On a worker, several at once.
let calls = try (1...3).map { count in try bus.callAsync("orders", "place", ["count": .int(Int64(count))]) }
for call in calls { print("placed:", try call.wait().value.stringValue ?? "nothing") }

let result = try bus.broadcast(Event.willTerminate)
print("\(result.count) got it, \(result.failures.count) failed")
bus.close()
guard interpreter_end() else { exit(1) }
