import CInterpreter
import CPart
import Crosstie
import Glibc

/// Says what holds, and ends the program when it does not.
func check(_ holds: Bool, _ what: String) {
    print(holds ? what : "FAILED: \(what)")
    fflush(nil)
    if !holds { exit(1) }
}

/// The text that a URL answers with, whichever language it is from.
func text(_ url: String) throws -> String? {
    let value = try bus.open(url).value
    return try value.foreignValue?.materialized().stringValue ?? value.stringValue
}

let languages = ["swift", "c", "python"]
let bus = try Bus.shared("host")
try bus.route("app://swift/greet/:name") { request in
    .string("swift greets \(request["name"] ?? "nobody")")
}
check(part_register(), "c registers")

interpreter_start()
check(interpreter_run("import part; part.check('swift', 'c', 'python')"), "python registers")

for language in languages {
    check(try text("app://\(language)/greet/Ada") == "\(language) greets Ada", "swift opens \(language)")
    check(part_opens(language, "Ada", false), "c opens \(language)")
    check(part_opens(language, "Ada", true), "c opens \(language) through python")
}
check(part_shares_core(), "the extension calls this program's copy of the library")
check(interpreter_end(), "python ends")
