import ArgumentParser
@preconcurrency import Glibc

/// `crosstie scheme receive`: the program that gets the URLs of `install --try`.
struct SchemeReceive: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive", abstract: "Send a URL to the socket of 'install --try'.", shouldDisplay: false)

    @Argument(help: "The socket's path.")
    var socket: String

    @Argument(help: "The URL.")
    var url: String

    func run() throws {
        let connection = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = UnixAddress(socket).value
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, size) == 0 }
        }
        let bytes = Array(url.utf8)
        guard isConnected, write(connection, bytes, bytes.count) == bytes.count else {
            throw Refusal("\(socket): \(String(cString: strerror(errno)))")
        }
        close(connection)
    }
}
