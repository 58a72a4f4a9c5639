// The example of MMWormhole's README.
import CrosstieConcurrency

// [port]
let app = try Wormhole("group.com.mutualmobile.wormhole")

try app.send("button", ["buttonNumber": 1])
for try await message in app.messages("button") {
    print("label", message.value?["buttonNumber"]?.intValue ?? 0)
    break  // the message was waiting
}

try app.send("title", ["titleString": "Hello"])
print("stored", try app.message("title")?.value?["titleString"]?.stringValue ?? "")

for try await message in app.messages("title") {
    print("received", message.value?["titleString"]?.stringValue ?? "")
    break
}
// [end]
