internal import CPlatform
internal import Glibc

/// The messages between an instance and the first one: a byte for the kind, and a map in MessagePack. Each is one packet.
struct InstanceFrame {
    enum Kind: UInt8 {
        /// Of the other instance: open the URL; without one, be activated; say how you are.
        case open = 1
        case ask
        /// Of the first instance: it takes the URL, and opens it now.
        case taken
        /// The answer, after *taken* or, for a frame that is refused, without it.
        case answer
        /// It has taken the URL but not opened it, nor will it.
        case returned
        case state
    }

    let kind: Kind
    let body: Value

    static var version: Int64 { 1 }
    /// The most bytes of a frame. A socket's buffer holds two of them.
    static var maximumSize: Int { 96 << 10 }
    static var maximumActivation: Int { 64 << 10 }

    init(_ kind: Kind, _ body: Value = [:]) { (self.kind, self.body) = (kind, body) }

    /// The encoded body; nil for one that is too large or has no plain form.
    var bytes: [UInt8]? {
        guard let bytes = try? body.messagePack(), bytes.count < InstanceFrame.maximumSize else { return nil }
        return bytes
    }

    /// Sends the frame, without waiting. Returns 0, or an errno.
    func send(_ file: Int32) -> Int32 {
        guard let bytes else { return EMSGSIZE }
        return bytes.withUnsafeBytes { cp_socket_send(file, kind.rawValue, $0.baseAddress, $0.count) }
    }

    enum Reception {
        case frame(InstanceFrame)
        case nothing, ended, malformed
    }

    /// Receives a frame, without waiting.
    static func receive(_ file: Int32) -> Reception {
        withUnsafeTemporaryAllocation(byteCount: maximumSize, alignment: 8) { room in
            let size = Int(clamping: cp_socket_receive(file, room.baseAddress, room.count))
            if size == -Int(EAGAIN) { return .nothing }
            guard size > 0 else { return .ended }
            guard size <= room.count, let kind = Kind(rawValue: room[0]) else { return .malformed }
            guard let body = try? Value(messagePack: [UInt8](room[1..<size])), case .map = body else {
                return .malformed
            }
            return .frame(InstanceFrame(kind, body))
        }
    }
}

extension Value {
    /// A text of a map that another process has sent; empty if it is missing.
    func text(_ key: String) -> String { self[key]?.stringValue ?? "" }
}
