internal import Glibc

@testable import Crosstie
@testable import CrosstieWormhole

/// A program in place of one of the system's, which writes down its arguments.
struct StandIn {
    let path: String

    /// - Parameter ending: what its script does at last.
    @discardableResult
    init(in scratch: Scratch, named name: String = "tool", then ending: String = "exit 0") {
        path = "\(scratch.path)/\(name)"
        let script = """
            #!/bin/sh
            echo $$ >"$0.process"
            cat >"$0.input"
            for each; do printf '%s\\0' "$each"; done >"$0.arguments"
            \(ending)
            """
        writeFile(path, Array(script.utf8), mode: 0o700)
    }

    /// The arguments that it was started with, without its own name; nil before it was started.
    var arguments: [String]? {
        let bytes = readFile(path + ".arguments")
        return bytes.map { $0.split(separator: 0, omittingEmptySubsequences: false).dropLast() }?.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    var input: [UInt8]? { readFile(path + ".input") }

    /// Waits until it has ended, so that its parent can reap it: a zombie would hide the end of other children from the
    /// tests that start some.
    func waitForEnd() {
        let process = (readFile(path + ".process") ?? []).prefix { $0 != UInt8(ascii: "\n") }
        while let state = ProcessFiles.state(of: String(decoding: process, as: UTF8.self)), !state.isDead {
            Clock.sleep(nanoseconds: 1_000_000)
        }
    }
}

func writeFile(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) {
    guard let file = fopen(path, "we") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    chmod(path, mode)
}

/// Nil when there is no such file.
func readFile(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return bytes
}
