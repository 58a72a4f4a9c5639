internal import CPlatform
internal import Glibc

/// An application's name on the session bus, and the thread that asks for it and receives calls. It sleeps until there
/// are some.
final class DBusName: @unchecked Sendable {
    private let application: String
    private let address: String
    private let lock = Lock()
    private var thread = pthread_t()

    // Guarded by the lock.
    private var current = DBusState.asking
    private var isStopping = false
    private var connection: DBusConnection?

    /// For asking for the name, and for giving it up.
    private static var patience: (asking: Int64, leaving: Int64) { (2000, 1000) }
    /// In milliseconds, until a thread that waits for the bus itself checks whether it shall stop.
    private static var slice: Int32 { 20 }

    private init(_ application: String, _ address: String) { (self.application, self.address) = (application, address) }

    deinit { lock.free() }

    /// Asks for a first instance's name, without waiting. Nothing is started where that cannot succeed.
    static func ask(for application: String, _ core: InstanceCore) -> (name: DBusName?, state: DBusState) {
        guard DBusObject.allows(application) else { return (nil, .unusable) }
        guard let address = DBusAddress.session else { return (nil, .noBus) }
        if let reason = cp_dbus_load() { return (nil, DBusState(.notInstalled, String(cString: reason))) }
        let name = DBusName(application, address)
        let failure = name.start(core)
        guard failure == 0 else {
            return (nil, DBusState(.systemFailure, CrosstieError.system("start a thread", failure).message))
        }
        return (name, .asking)
    }

    private func with<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    var state: DBusState { with { current } }

    // MARK: The thread

    /// The thread's argument.
    private final class Start {
        let name: DBusName
        let core: InstanceCore

        init(_ name: DBusName, _ core: InstanceCore) { (self.name, self.core) = (name, core) }
    }

    private func start(_ core: InstanceCore) -> Int32 {
        let context = CallbackContext(holding: Start(self, core))
        let failure = LibraryThread.start(&thread, context.pointer) { raw in
            if let start = CallbackContext.object(raw, as: Start.self) { start.name.run(start.core) }
            CallbackContext(adopting: raw).destroy()
            return nil
        }
        if failure != 0 { context.destroy() }
        return failure
    }

    /// Gives the name up, and ends the thread. The core has been released.
    func stop(waiting: Bool) {
        let own = thread
        // Connecting may take as long as the bus likes, but a thread that only connects does not take the name any more.
        let isConnected = with { () -> Bool in
            isStopping = true
            connection?.wake()
            return connection != nil || current.status != .pending
        }
        if waiting, isConnected, pthread_equal(own, pthread_self()) == 0 {
            pthread_join(own, nil)
        } else {
            pthread_detach(own)
        }
    }

    private var shallStop: Bool { with { isStopping } }

    private func run(_ core: InstanceCore) {
        LibraryThread.begin("crosstie-dbus")
        let deadline = Clock.deadline(milliseconds: DBusName.patience.asking)
        do throws(CrosstieError) {
            let made = try DBusConnection(address)
            let isWanted = with { () -> Bool in
                if !isStopping { connection = made }
                return !isStopping
            }
            if isWanted { serve(made, core, until: deadline) }
        } catch {
            conclude(DBusState(error.status, error.message), core)
        }
        with { connection = nil }
    }

    private func serve(_ connection: DBusConnection, _ core: InstanceCore, until deadline: UInt64) {
        let object = DBusObject(application)
        let state = ask(connection, core, object, until: deadline)
        conclude(state, core)
        guard state.status == .ok || state.status == .conflict else { return }
        if state.status == .ok, !stay(connection, core, object) { return conclude(.ended, core) }
        leave(connection, core, object)
    }

    @inline(never)
    private func conclude(_ state: DBusState, _ core: InstanceCore) {
        let isNews = with { () -> Bool in
            current = state
            return !isStopping
        }
        if isNews { core.note(state) }
    }

    // MARK: The talk with the bus

    /// Asks for the name. A name that is another process's is waited for until the deadline: that process may just have
    /// ended, and the bus not know of it yet.
    private func ask(
        _ connection: DBusConnection, _ core: InstanceCore, _ object: DBusObject, until deadline: UInt64
    ) -> DBusState {
        var hasGreeted = false
        var isQueued = false
        var serial = connection.ask("Hello")
        while !shallStop {
            guard Clock.now() < deadline else { return isQueued ? .conflict : .silent }
            guard connection.drive(milliseconds: DBusName.slice) else { return .ended }
            while let message = connection.next() {
                if message.isCall {
                    object.receive(message, connection, core)
                } else if message.announces(application) {
                    return .owned
                } else if let isRefusal = message.answers(serial) {
                    if isRefusal { return .refused }
                    if hasGreeted {
                        // Its own, or in the queue for it.
                        if message.number == 1 || message.number == 4 { return .owned }
                        isQueued = true
                    } else {
                        hasGreeted = true
                        serial = connection.ask("RequestName", application, number: 0)
                    }
                }
            }
        }
        return .asking
    }

    /// Receives calls until the thread shall stop. False if the bus has ended.
    private func stay(_ connection: DBusConnection, _ core: InstanceCore, _ object: DBusObject) -> Bool {
        while !shallStop {
            let isOpen = connection.drive()
            while let message = connection.next() {
                if message.isCall { object.receive(message, connection, core) }
            }
            guard isOpen else { return false }
            if !shallStop { connection.sleep() }
        }
        return true
    }

    /// Gives the name up. The bus has delivered each call of it before it answers; the core refuses them.
    private func leave(_ connection: DBusConnection, _ core: InstanceCore, _ object: DBusObject) {
        let deadline = Clock.deadline(milliseconds: DBusName.patience.leaving)
        let serial = connection.ask("ReleaseName", application)
        while Clock.now() < deadline, connection.drive(milliseconds: DBusName.slice) {
            while let message = connection.next() {
                if message.isCall { object.receive(message, connection, core) }
                if message.answers(serial) != nil {
                    // The refusals go out, too.
                    _ = connection.drive()
                    return
                }
            }
        }
    }
}
