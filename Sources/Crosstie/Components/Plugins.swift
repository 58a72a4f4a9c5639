internal import CPlatform
internal import Glibc

/// A plug-in that a bus has loaded.
struct LoadedPlugin {
    let object: UInt
    /// The registrations of its components.
    let components: [Handle]
}

/// The process's plug-ins: what the constructors of each shared object have declared while it was being loaded as one.
///
/// Constructors run once in a process, so what they say is kept for the next bus, also what was wrong with it.
package enum Plugins {
    // Guarded by the process's lock.
    nonisolated(unsafe) private static var declared: [UInt: [Result<Declaration, CrosstieError>]] = [:]

    /// Bytes of a path at most.
    package static var maximumPathSize: Int { 4096 }

    /// Whether this thread is loading a plug-in, whose declarations are not static then.
    package static var isLoading: Bool { ThreadSlot.current.pointee.pluginsLoading > 0 }

    /// Keeps what an object of a plug-in declares, or why that is refused.
    ///
    /// - Parameter address: where the declaration lies.
    package static func declare(
        _ declaration: Result<Declaration, CrosstieError>, at address: UnsafeRawPointer
    ) throws(CrosstieError) {
        let object = cp_object_of(address)
        ProcessState.lock.with { declared[object, default: []].append(declaration) }
        _ = try declaration.get()
    }

    /// Opens a shared object and gives what it declares.
    ///
    /// - Throws: *system*; *notComponent* (nothing); the first of its declarations' errors.
    static func open(_ path: String) throws(CrosstieError) -> (object: UInt, [Declaration]) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw CrosstieError(.invalid, "a plug-in's path has bytes, none of them zero", at: "path")
        }
        let object = try map(path)
        guard let declared = ProcessState.lock.with({ declared[object] }) else {
            throw CrosstieError(.notComponent, "\(path) declares no component when it is loaded as a plug-in")
        }
        return (object, try declared.map { declaration throws(CrosstieError) in try declaration.get() })
    }

    /// Maps a shared object for ever, and runs its constructors the first time, as a callback.
    private static func map(_ path: String) throws(CrosstieError) -> UInt {
        let slot = ThreadSlot.current
        var outcome: Result<UInt, CrosstieError>?
        slot.pointee.pluginsLoading += 1
        slot.withCallback {
            if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) {
                outcome = .success(UInt(cp_object_opened(handle)))
            } else {
                let reason = dlerror().map { String(cString: $0) } ?? "it cannot be opened"
                outcome = .failure(CrosstieError(.system, reason, at: "path"))
            }
        }
        slot.pointee.pluginsLoading -= 1
        guard let outcome else { throw CrosstieError(.system, "it cannot be opened", at: "path") }
        return try outcome.get()
    }
}
