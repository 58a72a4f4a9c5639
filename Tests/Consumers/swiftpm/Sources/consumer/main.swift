import Crosstie

let bus = try Bus("consumer")
try bus.route("app://answer") { _ in 42 }
let response = try bus.open("app://answer")
guard response.value == 42 else { fatalError("the answer is \(response.value)") }
