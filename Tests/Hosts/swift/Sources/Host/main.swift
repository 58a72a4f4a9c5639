import CPart
import CPython
import Crosstie

/// Says what holds, and ends the program when it does not.
func check(_ holds: Bool, _ what: String) {
    print(holds ? what : "FAILED: \(what)")
    if !holds { exit(1) }
}

/// Runs a line of Python in the embedded interpreter.
func python(_ line: String) -> Bool {
    PyRun_SimpleStringFlags(line, nil) == 0
}

let languages = ["swift", "c", "python"]
let bus = try Bus.shared("host")
try bus.route("app://swift/greet/:name") { request in
    .string("swift greets \(request["name"] ?? "nobody")")
}
check(part_register(), "c registers")

Py_InitializeEx(0)
check(python("import part; part.check('swift', 'c', 'python')"), "python registers")

for language in languages {
    let answer = try bus.open("app://\(language)/greet/Ada").value
    check(answer == .string("\(language) greets Ada"), "swift opens \(language)")
    check(part_opens(language, "Ada", false), "c opens \(language)")
    check(part_opens(language, "Ada", true), "c opens \(language) through python")
}
check(part_shares_core(), "the extension calls this program's copy of the library")
check(Py_FinalizeEx() == 0, "python ends")
