internal import Glibc

/// Maintenance of groups from outside: the functions of `crosstie store`. Nothing in the library calls them, so the
/// shipped one does not contain them.
package enum StoreCare {
    /// Opens a group that is there, and calls `body` with it.
    static func withGroup<Result>(
        _ name: String, _ options: WormholeOptions, _ body: (Group, LMDBStore) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        var options = options
        options.mustExist = true
        let core = try WormholeCore(name, options: options)
        defer { _ = core.close() }
        guard let transport = core.transport.records, let store = transport.group.store as? LMDBStore
        else { throw CrosstieError(.invalidArgument, "only a group in a directory can be looked after") }
        return try body(transport.group, store)
    }

    /// Opens a group's directory, and keeps other processes from opening the group. `body` gets whether a process has
    /// it open.
    static func withDirectory<Result>(
        _ name: String, _ options: WormholeOptions, mustExist: Bool = true,
        _ body: (OpenDirectory, _ isInUse: Bool) throws(CrosstieError) -> Result
    ) throws(CrosstieError) -> Result {
        var options = options
        options.mustExist = mustExist
        try options.check()
        try WormholeCore.checkGroup(name)
        let directory = try WormholeCore.openDirectory(of: name, options)
        if !options.allowsAnyFileSystem { try directory.value.requireSharedMemory() }
        if mustExist, try directory.value.size(of: GroupDirectory.dataName) == nil {
            try directory.value.requireGroup()
        }
        return try directory.value.withMembersLocked(timeout: options.timeoutNanoseconds) { () throws(CrosstieError) in
            let isInUse = try directory.value.hold(until: Clock.now() &+ options.timeoutNanoseconds)
            defer { directory.value.release() }
            return try body(directory, isInUse)
        }
    }

    static func requireUnused(_ isInUse: Bool, _ directory: borrowing GroupDirectory) throws(CrosstieError) {
        guard isInUse else { return }
        throw CrosstieError(.busy, "somebody has the group open", at: directory.path)
    }

    /// Shows `body` every record of one state of a group, with the number of that state.
    static func scan(
        _ group: Group, _ begin: (UInt64) throws(CrosstieError) -> Void,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CrosstieError) -> Void
    ) throws(CrosstieError) {
        try group.read { snapshot throws(CrosstieError) in
            try begin(snapshot.number)
            try [0].withBytes { first throws(CrosstieError) in
                try snapshot.records.scan(from: first) { key, record throws(CrosstieError) in
                    try body(key, record)
                    return .next
                }
            }
        }
    }
}

extension StoreCare {
    /// Returns the space that a store does not need. Other processes may have the group open; they wait while the last
    /// changes are copied.
    ///
    /// - Returns: the bytes of its file before and after.
    /// - Throws: as opening; `busy` (files of it are being replaced), `timedOut`, `noSpace` (the copy needs room).
    package static func compact(
        _ name: String, _ options: WormholeOptions
    ) throws(CrosstieError) -> (before: UInt64, after: UInt64) {
        try withGroup(name, options) { group, _ throws(CrosstieError) -> (before: UInt64, after: UInt64) in
            try group.compact(timeout: options.timeoutNanoseconds)
        }
    }
}
