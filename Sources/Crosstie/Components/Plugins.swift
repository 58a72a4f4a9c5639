internal import CPlatform
internal import Glibc

/// The process's plug-ins: the components that constructors of shared objects have declared while one was being loaded.
///
/// Constructors run once in a process, so what they say is kept for the next bus, also what was wrong with it.
package enum Plugins {
    // All guarded by the process's lock.
    /// The declarations of each object.
    nonisolated(unsafe) private static var declared: [UInt: [Result<Declaration, CrosstieError>]] = [:]
    /// The objects that make up each plug-in: it itself, and those that came with it, which declare something, too.
    nonisolated(unsafe) private static var parts: [UInt: [UInt]] = [:]
    /// The same of those that are being loaded, by the slots of the threads that do.
    nonisolated(unsafe) private static var loading: [UInt: [UInt]] = [:]

    /// Bytes of a path at most.
    package static var maximumPathSize: Int { 4096 }

    private static var thread: UInt { UInt(bitPattern: ThreadSlot.current) }

    /// Whether this thread is loading a plug-in, whose declarations are not static then.
    package static var isLoading: Bool {
        let thread = thread
        return ProcessState.lock.with { loading[thread] != nil }
    }

    /// Keeps what an object of the plug-in that is being loaded declares, or why that is refused.
    ///
    /// - Parameter address: where the declaration lies.
    package static func declare(
        _ declaration: Result<Declaration, CrosstieError>, at address: UnsafeRawPointer
    ) throws(CrosstieError) {
        let (object, thread) = (UInt(cp_object_of(address)), thread)
        guard object != 0 else { throw CrosstieError(.invalidArgument, "a declaration is static memory of its object") }
        ProcessState.lock.with {
            declared[object, default: []].append(declaration)
            if loading[thread]?.contains(object) == false { loading[thread]?.append(object) }
        }
        _ = try declaration.get()
    }

    /// Opens a shared object and returns its declarations.
    ///
    /// - Throws: *invalidArgument*, *systemFailure*; *notAComponent* (nothing); the first of its declarations' errors.
    static func open(_ path: String) throws(CrosstieError) -> (object: UInt, [Declaration]) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw CrosstieError(.invalidArgument, "a plug-in's path has bytes, none of them zero", at: "path")
        }
        let object = try load(path)
        let all = ProcessState.lock.with { (parts[object] ?? [object]).flatMap { declared[$0] ?? [] } }
        guard !all.isEmpty else {
            throw CrosstieError(.notAComponent, "\(path) declares no component when it is loaded as a plug-in")
        }
        return (object, try all.map { declaration throws(CrosstieError) in try declaration.get() })
    }

    /// Maps a shared object, and notes what declares something meanwhile. A constructor may load a plug-in of its own.
    private static func load(_ path: String) throws(CrosstieError) -> UInt {
        let thread = thread
        let outer = ProcessState.lock.with {
            defer { loading[thread] = [] }
            return loading[thread]
        }
        let object = map(path)
        ProcessState.lock.with {
            let fresh = loading[thread] ?? []
            if case .success(let object) = object, parts[object] == nil, !fresh.isEmpty { parts[object] = fresh }
            loading[thread] = outer
        }
        return try object.get()
    }

    /// Maps a shared object for ever and, the first time, runs its constructors, as a callback.
    private static func map(_ path: String) -> Result<UInt, CrosstieError> {
        var outcome: Result<UInt, CrosstieError>?
        ThreadSlot.current.withCallback {
            if let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) {
                outcome = .success(UInt(cp_object_opened(handle)))
            } else {
                let reason = dlerror().map { String(cString: $0) }
                outcome = reason.map { .failure(CrosstieError(.systemFailure, $0, at: "path")) }
            }
        }
        return outcome ?? .failure(CrosstieError(.systemFailure, "\(path) cannot be opened", at: "path"))
    }
}
