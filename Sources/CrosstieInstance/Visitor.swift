internal import CPlatform
internal import Glibc

/// A connection of another instance to the first one. The core's lock guards it.
final class Visitor: @unchecked Sendable {
    let token: UInt64
    private let file: Int32
    private let poll: Int32
    /// The URL that the first instance has not taken yet.
    var waiting: Handed?
    /// Whether the first instance has taken a URL, and not answered.
    var isTaken = false
    private var isWatched = true
    private var isClosed = false

    /// Takes the socket, and has a poll watch it under a token.
    init?(_ file: Int32, poll: Int32, token: UInt64) {
        (self.file, self.poll, self.token) = (file, poll, token)
        guard cp_poll_set(poll, file, token, false, true) else { return nil }
        HeldFiles.add(file)
    }

    /// Without waiting. False if the other side does not get it.
    func send(_ frame: InstanceFrame) -> Bool { !isClosed && frame.send(file) == 0 }

    func receive() -> InstanceFrame.Reception { isClosed ? .nothing : InstanceFrame.receive(file) }

    /// Whether anything may still be received.
    var isHere: Bool { isWatched }

    /// Ends what can be received. The socket stays open for the answer to a URL that was taken.
    func leave() {
        waiting = nil
        if isWatched, !isClosed { cp_poll_remove(poll, file) }
        isWatched = false
        if !isTaken { close() }
    }

    /// Ends the connection, from any thread; the server's thread sees its end, and lets it go.
    func stop() {
        waiting = nil
        if !isClosed { shutdown(file, Int32(SHUT_RDWR)) }
    }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        HeldFiles.remove(file)
        Glibc.close(file)
    }
}
