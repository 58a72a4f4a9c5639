internal import CPlatform
internal import Glibc

/// The address of this user's session bus.
enum DBusAddress {
    /// Nil if there is no session bus. Only local sockets count: an address may also start a program, such as a bus.
    static var session: String? {
        guard let given = Environment.value("DBUS_SESSION_BUS_ADDRESS") else { return usual }
        var local = ""
        for address in given.split(separator: ";") where address.utf8.starts(with: "unix:".utf8) {
            local += address + ";"
        }
        return local.isEmpty ? nil : local
    }

    /// The socket in the runtime directory, where systemd puts it.
    private static var usual: String? {
        guard let directory = Environment.path("XDG_RUNTIME_DIR") else { return nil }
        let path = directory + "/bus"
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            return nil
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2048) { room in
            cp_dbus_address(path, room.baseAddress, room.count) ? room.baseAddress.map { String(cString: $0) } : nil
        }
    }
}
