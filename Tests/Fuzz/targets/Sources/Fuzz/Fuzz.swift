@testable import Crosstie

/// One thing to fuzz: takes any bytes, and ends the program where the library does not do what it should.
typealias FuzzTarget = @Sendable (UnsafeRawBufferPointer) -> Void

/// The program is the target that it is called by the name of.
private let target: FuzzTarget? = {
    let name = CommandLine.arguments.first?.split(separator: "/").last
    return name.flatMap { targets[String($0)] }
}()

private let targets: [String: FuzzTarget] = [
    "url": URLTarget.run,
    "escapes": EscapesTarget.run,
    "match": MatchTarget.run,
    "records": RecordsTarget.run,
    "store": StoreTarget.run,
    "rules": RulesTarget.run,
    "values": ValuesTarget.run,
    "join": JoinTarget.run,
    "engine": EngineTarget.run,
]

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    guard let target else { fatalError("call the program by the name of a target: \(targets.keys.sorted())") }
    target(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}

/// Ends the program, so that libFuzzer keeps the input, unless the condition holds.
@inline(__always)
func demand(_ condition: Bool, _ what: @autoclosure () -> String) {
    guard !condition else { return }
    fatalError(what())
}

/// The bytes as text, for what is printed when a demand fails.
func shown(_ bytes: some Sequence<UInt8>) -> String { "'\(String(decoding: Array(bytes), as: UTF8.self))'" }
