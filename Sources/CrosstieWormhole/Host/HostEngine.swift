package import CCrosstie
import Synchronization

/// A host's own engine: the functions that its header describes, and nowhere else called. Their results are not
/// trusted.
package final class HostEngine: @unchecked Sendable {
    let functions: ctie_engine
    let context: UnsafeMutableRawPointer?
    /// Set before any other use.
    var calls = HostCalls(of: "engine")
    private let isClosed = Atomic(false)

    package init(_ functions: ctie_engine, context: UnsafeMutableRawPointer?) {
        self.functions = functions
        self.context = context
    }

    /// Throws `invalid` when a function is missing.
    func check() throws(CrosstieError) {
        let isWhole =
            functions.open != nil && functions.send != nil && functions.current != nil && functions.identifiers != nil
            && functions.bind != nil && functions.credit != nil && functions.resolve != nil && functions.unbind != nil
            && functions.members != nil && functions.close != nil
        guard isWhole else {
            throw CrosstieError(
                .invalidArgument, "an engine has all functions from open to close", at: "options.engine")
        }
    }

    /// Leaves the group, and releases the host's context; once, however often it is called.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing), let close = functions.close else { return }
        calls.call { close(context) }
    }

    // Calls are two halves and no closure, of which the compiler would make a copy for each function.

    /// Begins a call. Gives the milliseconds that are left of the caller's time.
    @inline(never)
    func begin() throws(CrosstieError) -> Int64 {
        let left = try calls.left(until: calls.deadline)
        HostCalls.enter()
        return left
    }

    /// Ends it with the function's answer; nil if it is missing, which is *unsupported*.
    @inline(never)
    func end(_ name: StaticString, _ answer: ctie_status?) throws(CrosstieError) {
        ThreadSlot.current.leaveTransport()
        guard let answer else { throw CrosstieError(.unsupported, "the engine has no function \(name)") }
        if answer != 0 { throw calls.failure(name, answer) }
    }
}
