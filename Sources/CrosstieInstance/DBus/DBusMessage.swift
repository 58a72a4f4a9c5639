internal import CPlatform

/// A message that has been received. It comes from another process: nothing in it is believed.
final class DBusMessage {
    private let raw: cp_dbus_message

    /// Takes the message.
    init(_ raw: cp_dbus_message) { self.raw = raw }

    deinit { withUnsafePointer(to: raw) { cp_dbus_release($0) } }

    var isCall: Bool { raw.type == Int32(CP_DBUS_CALL) }
    var wantsAnswer: Bool { raw.wants_answer }
    var serial: UInt32 { raw.serial }
    var sender: String? { raw.sender.map { String(cString: $0) } }
    var path: String { text(raw.path) }
    var interface: String { text(raw.interface) }
    var member: String { text(raw.member) }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

    /// The bus's own answer to a call: true for an error.
    func answers(_ serial: UInt32) -> Bool? {
        guard raw.answered == serial, sender == "org.freedesktop.DBus" else { return nil }
        switch raw.type {
        case Int32(CP_DBUS_ANSWER): return false
        case Int32(CP_DBUS_ERROR): return true
        default: return nil
        }
    }

    /// Whether the bus says that a name is this connection's own.
    func announces(_ name: String) -> Bool {
        guard raw.type == Int32(CP_DBUS_SIGNAL), sender == "org.freedesktop.DBus", member == "NameAcquired" else {
            return false
        }
        var reader = arguments
        return cp_dbus_text(&reader).map { String(cString: $0) } == name
    }

    /// The number that the bus has answered.
    var number: UInt32 {
        var reader = arguments
        return cp_dbus_number(&reader)
    }

    func has(_ signature: String) -> Bool { withUnsafePointer(to: raw) { cp_dbus_has_types($0, signature) } }

    private var arguments: cp_dbus_reader { withUnsafePointer(to: raw) { cp_dbus_arguments($0) } }

    // MARK: The arguments of org.freedesktop.Application

    /// The URLs in the first argument, a list of texts.
    func urls() throws(CrosstieError) -> [String] {
        var list = arguments
        var item = cp_dbus_inside(&list)
        var (urls, size) = ([String](), 0)
        while let text = cp_dbus_text(&item) {
            let url = String(cString: text)
            size += url.utf8.count
            guard urls.count < InstanceCore.maximumURLs, url.utf8.count <= InstanceCore.maximumURL,
                size <= DBusCall.maximumSize
            else { throw CrosstieError(.limitExceeded, "too many URLs, or too long ones") }
            urls.append(url)
            cp_dbus_advance(&item)
        }
        return urls
    }

    /// The part of the platform's data, the last argument, that belongs to an activation.
    func activation(after count: Int) throws(CrosstieError) -> Value {
        var data = arguments
        for _ in 0..<count { cp_dbus_advance(&data) }
        var entry = cp_dbus_inside(&data)
        var map = ValueMap()
        while cp_dbus_type(&entry) == Int32(UInt8(ascii: "e")) {
            var part = cp_dbus_inside(&entry)
            let key = text(cp_dbus_text(&part))
            cp_dbus_advance(&part)
            var value = cp_dbus_inside(&part)
            if key == "activation-token" || key == "desktop-startup-id", let text = cp_dbus_text(&value) {
                map[key] = .string(String(cString: text))
            }
            cp_dbus_advance(&entry)
        }
        let activation = Value.map(map)
        try Activation.check(activation)
        return activation
    }
}
