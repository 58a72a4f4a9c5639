import ArgumentParser
import Crosstie
@preconcurrency import Glibc

/// Parameters from the command line.
struct ParameterArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("Parameters that are texts.", valueName: "key=value"))
    var pairs: [String] = []

    @Option(help: ArgumentHelp("Parameters as a JSON object; '-' reads it from stdin.", valueName: "object"))
    var json: String?

    func validate() throws {
        for pair in pairs where !pair.dropFirst().contains("=") {
            throw ValidationError("'\(pair)' is no key=value.")
        }
    }

    /// A map, or null for none.
    func read() throws -> Value {
        var map = ValueMap()
        if let json {
            let text = json == "-" ? try ParameterArguments.standardInput() : json
            guard case .map(let given) = try Value(json: text) else { throw Refusal("--json takes an object") }
            map = given
        } else if pairs.isEmpty {
            return .null
        }
        for pair in pairs {
            guard let end = pair.dropFirst().firstIndex(of: "=") else { continue }
            map[String(pair[..<end])] = .string(String(pair[pair.index(after: end)...]))
        }
        return .map(map)
    }

    private static func standardInput() throws -> String {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(0, &room, room.count)
            guard count >= 0 else { throw Refusal("stdin: \(String(cString: strerror(errno)))") }
            guard count > 0 else { break }
            bytes += room.prefix(count)
            guard bytes.count <= 64 << 20 else { throw Refusal("stdin has over 64 MiB") }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Refusal("stdin is not valid UTF-8") }
        return text
    }
}
