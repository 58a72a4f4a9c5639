/// An application's object on the session bus, with org.freedesktop.Application.
struct DBusObject {
    private let path: String

    static var failed: String { "org.freedesktop.DBus.Error.Failed" }
    static var limitsExceeded: String { "org.freedesktop.DBus.Error.LimitsExceeded" }

    /// Of an application with a name that D-Bus allows, too.
    init(_ application: String) {
        var bytes = [UInt8(ascii: "/")]
        for byte in application.utf8 {
            switch byte {
            case UInt8(ascii: "."): bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "_"))
            default: bytes.append(byte)
            }
        }
        path = String(decoding: bytes, as: UTF8.self)
    }

    /// Whether an application's name is also one of D-Bus: of parts with dots between, none with a digit first.
    static func allows(_ application: String) -> Bool {
        let dot = UInt8(ascii: ".")
        var (before, hasDot) = (dot, false)
        for byte in application.utf8 {
            // A part has a first byte, which is no digit.
            if before == dot, byte == dot || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { return false }
            if byte == dot { hasDot = true }
            before = byte
        }
        return hasDot && before != dot
    }

    private struct Refusal: Error {
        let name: String
        let text: String

        init(_ name: String, _ text: String) { (self.name, self.text) = ("org.freedesktop.DBus.Error." + name, text) }
    }

    /// The effect of a call of the object.
    private enum Reaction {
        case open([String], Value)
        case answer(String?)
    }

    /// Receives a call. The first instance takes what it opens; all other calls are answered here.
    @inline(never)
    func receive(_ message: DBusMessage, _ connection: DBusConnection, _ core: InstanceCore) {
        do throws(Refusal) {
            switch try reaction(message) {
            case .open(let urls, let activation): core.take(DBusCall(message, urls, activation, connection))
            case .answer(let text) where message.wantsAnswer:
                connection.answer(message.sender, message.serial, text: text)
            case .answer: break
            }
        } catch {
            guard message.wantsAnswer else { return }
            connection.answer(message.sender, message.serial, error: error.name, text: error.text)
        }
    }

    private func reaction(_ message: DBusMessage) throws(Refusal) -> Reaction {
        switch (message.interface, message.member) {
        case ("org.freedesktop.DBus.Peer", "Ping"): return .answer(nil)
        case ("org.freedesktop.DBus.Introspectable", "Introspect") where message.path == path:
            return .answer(DBusObject.description)
        case ("org.freedesktop.Application", let member), ("", let member):
            guard message.path == path else { break }
            return try application(member, message)
        default: break
        }
        throw message.path == path
            ? Refusal("UnknownMethod", "the application has no such method")
            : Refusal("UnknownObject", "the application's object is \(path)")
    }

    private func application(_ member: String, _ message: DBusMessage) throws(Refusal) -> Reaction {
        do throws(CrosstieError) {
            switch member {
            case "Activate" where message.has("a{sv}"): return .open([], try message.activation(after: 0))
            case "Open" where message.has("asa{sv}"):
                let urls = try message.urls()
                return urls.isEmpty ? .answer(nil) : .open(urls, try message.activation(after: 1))
            default: break
            }
        } catch {
            throw Refusal("LimitsExceeded", error.description)
        }
        switch member {
        case "Activate", "Open": throw Refusal("InvalidArgs", "\(member) has other types of arguments")
        case "ActivateAction": throw Refusal("NotSupported", "the application has no actions")
        default: throw Refusal("UnknownMethod", "the application has no such method")
        }
    }

    private static var description: String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node><interface name="org.freedesktop.Application">\
        <method name="Activate"><arg type="a{sv}" name="platform_data" direction="in"/></method>\
        <method name="Open"><arg type="as" name="uris" direction="in"/>\
        <arg type="a{sv}" name="platform_data" direction="in"/></method>\
        <method name="ActivateAction"><arg type="s" name="action_name" direction="in"/>\
        <arg type="av" name="parameter" direction="in"/>\
        <arg type="a{sv}" name="platform_data" direction="in"/></method></interface></node>
        """
    }
}
