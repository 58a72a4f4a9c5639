internal import CPlatform
internal import Glibc

/// The desktop's part in a start, of which the later instance informs the first one.
package enum Activation {
    /// The activation of this process. The names are those of the desktop's own calls (org.freedesktop.Application).
    package static var ofProcess: Value {
        var map = ValueMap()
        if let token = Environment.value("XDG_ACTIVATION_TOKEN") { map["activation-token"] = .string(token) }
        if let startup = Environment.value("DESKTOP_STARTUP_ID") { map["desktop-startup-id"] = .string(startup) }
        if let directory = getcwd(nil, 0) {
            map["cwd"] = .string(String(cString: directory))
            free(directory)
        }
        let words = arguments.map(Value.string)
        map["arguments"] = .list(words)
        let whole = Value.map(map)
        guard size(of: whole) > InstanceFrame.maximumActivation else { return whole }
        map["arguments"] = .list(Array(words.prefix(1)))
        return .map(map)
    }

    /// - Throws: *wrongType*, *foreignValue*, *limitExceeded*.
    package static func check(_ activation: Value) throws(CrosstieError) {
        guard case .map = activation else {
            throw CrosstieError(.wrongType, "an activation is a map", at: "activation")
        }
        guard try activation.messagePack().count <= InstanceFrame.maximumActivation else {
            throw CrosstieError(
                .limitExceeded, "an activation has at most \(InstanceFrame.maximumActivation) bytes", at: "activation")
        }
    }

    /// The words of the command line. Swift's own list of them ends a process without `/proc`.
    private static var arguments: [String] {
        let file = cp_open_for_reading("/proc/self/cmdline")
        guard file >= 0 else { return [] }
        defer { close(file) }
        let bytes = withUnsafeTemporaryAllocation(byteCount: InstanceFrame.maximumActivation, alignment: 1) { room in
            [UInt8](room.prefix(max(read(file, room.baseAddress, room.count), 0)))
        }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func size(of value: Value) -> Int { (try? value.messagePack().count) ?? .max }
}
