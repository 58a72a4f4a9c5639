internal import CPlatform
internal import Glibc

/// The thread that serves the other instances. It sleeps until one connects or sends.
final class InstanceServer: @unchecked Sendable {
    private let claim: InstanceLocation.Claim
    private let poll: Int32
    private let wakeup: Int32
    private var thread = pthread_t()
    /// Only for the thread.
    private var visitors: [UInt64: Visitor] = [:]
    private var lastToken: UInt64 = 1

    private static var wakeupToken: UInt64 { 0 }
    private static var listenerToken: UInt64 { 1 }
    private static var maximumVisitors: Int { 1024 }

    /// Takes the claim, which it ends if it fails.
    init(_ claim: InstanceLocation.Claim) throws(CrosstieError) {
        self.claim = claim
        poll = cp_poll_make()
        wakeup = cp_event_make()
        guard poll >= 0, wakeup >= 0, cp_poll_set(poll, wakeup, InstanceServer.wakeupToken, false, true),
            cp_poll_set(poll, claim.listener, InstanceServer.listenerToken, false, true)
        else {
            let failure = CrosstieError.system("watch the socket of an instance", errno)
            close()
            throw failure
        }
        for file in [poll, wakeup] { HeldFiles.add(file) }
    }

    private func close() {
        for file in [poll, wakeup] where file >= 0 {
            HeldFiles.remove(file)
            Glibc.close(file)
        }
        claim.end()
    }

    /// The thread's argument.
    private final class Start {
        let server: InstanceServer
        let core: InstanceCore

        init(_ server: InstanceServer, _ core: InstanceCore) { (self.server, self.core) = (server, core) }
    }

    /// Ends the claim if there is no thread.
    func start(_ core: InstanceCore) throws(CrosstieError) {
        let context = CallbackContext(holding: Start(self, core))
        let failure = LibraryThread.start(&thread, context.pointer) { raw in
            if let start = CallbackContext.object(raw, as: Start.self) { start.server.run(start.core) }
            CallbackContext(adopting: raw).destroy()
            return nil
        }
        guard failure == 0 else {
            context.destroy()
            close()
            throw .system("start a thread", failure)
        }
    }

    /// Ends the thread, which ends the claim. The core has been released.
    func stop(waiting: Bool) {
        let own = thread
        cp_event_set(wakeup)
        if waiting, pthread_equal(own, pthread_self()) == 0 { pthread_join(own, nil) } else { pthread_detach(own) }
    }

    private func run(_ core: InstanceCore) {
        LibraryThread.begin("crosstie-first")
        var (token, reads, writes) = (UInt64(0), false, false)
        while LibraryThread.rest({ cp_poll_wait(poll, true, &token, &reads, &writes) }) == 1 {
            if token == InstanceServer.wakeupToken { break }
            if token == InstanceServer.listenerToken {
                accept(core)
            } else if let visitor = visitors[token], !core.receive(from: visitor) {
                visitors[token] = nil
            }
        }
        core.dismiss(Array(visitors.values))
        visitors = [:]
        close()
    }

    private func accept(_ core: InstanceCore) {
        while true {
            let file = cp_socket_accept(claim.listener)
            guard file >= 0 else {
                // Without descriptors the queue stays as it is, and would keep this thread awake.
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM { Clock.sleep(nanoseconds: 10_000_000) }
                return
            }
            var (pid, uid) = (Int32(0), UInt32.max)
            lastToken += 1
            guard cp_socket_peer(file, &pid, &uid), uid == geteuid(),
                visitors.count < InstanceServer.maximumVisitors,
                let visitor = Visitor(file, poll: poll, token: lastToken)
            else {
                Glibc.close(file)
                continue
            }
            visitors[lastToken] = visitor
        }
    }
}
