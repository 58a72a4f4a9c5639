import CrosstieWormhole  // exports Crosstie, too

let bus = try Bus("consumer")
try bus.route("app://answer") { _ in 42 }
let response = try bus.open("app://answer")
guard response.value == 42 else { fatalError("the answer is \(response.value)") }

var options = WormholeOptions()
options.isInMemory = true
let wormhole = try Wormhole("com.example.consumer", options: options)
try wormhole.send("answer", response.value)
let message = try wormhole.message("answer")
guard message?.value == 42 else { fatalError("the message has no answer") }
