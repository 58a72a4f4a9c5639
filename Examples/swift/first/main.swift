// A bus, a route, and a URL opened on it.
import Crosstie

let bus = try Bus("shop")

try bus.route("app://users/:id") { request in
    .string("user \(request["id"] ?? "nobody")")
}

let response = try bus.open("app://users/42")
print(response.value.stringValue ?? "no text")
