internal import CPlatform
internal import Glibc

/// A connection to the session bus. One thread receives, and any thread answers. It ends with the last reference, which
/// may be that of a call without an answer.
final class DBusConnection: @unchecked Sendable {
    private let raw: UnsafeMutableRawPointer
    private let lock: Lock
    private let file: Int32
    private let wakeup: Int32
    private let forkCount: UInt32

    /// Bytes of a reason, the NUL included.
    private static var reasonSize: Int { 256 }

    /// Connects. The bus has not answered yet.
    init(_ address: String) throws(CrosstieError) {
        var reason = ""
        let made = withUnsafeTemporaryAllocation(of: CChar.self, capacity: DBusConnection.reasonSize) { buffer in
            buffer.initialize(repeating: 0)
            let made = cp_dbus_connect(address, buffer.baseAddress, buffer.count)
            if made == nil, let text = buffer.baseAddress { reason = String(cString: text) }
            return made
        }
        guard let made else {
            throw CrosstieError(.systemFailure, "the session bus cannot be reached: " + reason)
        }
        (raw, file, wakeup) = (made, cp_dbus_file(made), cp_event_make())
        lock = Lock()
        forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
        for each in [file, wakeup] where each >= 0 { HeldFiles.add(each) }
        guard file >= 0, wakeup >= 0 else { throw .system("watch the session bus", errno) }
    }

    /// A forked child has closed the files, and does nothing to what its parent shares with the bus.
    deinit {
        defer { lock.free() }
        guard !isForked else { return }
        for each in [file, wakeup] where each >= 0 { HeldFiles.remove(each) }
        if wakeup >= 0 { close(wakeup) }
        cp_dbus_close(raw)
    }

    private var isForked: Bool {
        forkCount != ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    // MARK: The receiving thread

    /// Sends and receives, waiting for a moment. False if the connection has ended.
    func drive(milliseconds: Int32 = 0) -> Bool { with { cp_dbus_drive(raw, milliseconds) } }

    /// Sleeps until the bus sends something, or another thread calls ``wake()``.
    func sleep() {
        let events = with { cp_dbus_is_sending(raw) } ? POLLIN | POLLOUT : POLLIN
        var entries = [
            pollfd(fd: file, events: Int16(events), revents: 0), pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
        ]
        if LibraryThread.rest({ poll(&entries, 2, -1) }) > 0, entries[1].revents != 0 { cp_event_clear(wakeup) }
    }

    /// The next message that has been received.
    func next() -> DBusMessage? {
        var message = cp_dbus_message()
        return with { cp_dbus_next(raw, &message) } ? DBusMessage(message) : nil
    }

    /// Calls the bus itself. Its serial number; 0 without memory.
    func ask(_ member: String, _ name: String? = nil, number: Int64 = -1) -> UInt32 {
        with { cp_dbus_ask(raw, member, name, number) }
    }

    // MARK: Any thread

    /// Ends a ``sleep()``.
    func wake() { cp_event_set(wakeup) }

    /// Answers a call: with an error if it has a name.
    @inline(never)
    func answer(_ sender: String?, _ serial: UInt32, error: String? = nil, text: String? = nil) {
        guard !isForked else { return }
        let isLeft = with { () -> Bool in
            _ = cp_dbus_answer(raw, sender, serial, error, text)
            return cp_dbus_is_sending(raw)
        }
        if isLeft { wake() }
    }
}
