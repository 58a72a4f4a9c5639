internal import Glibc
import Synchronization

/// The groups that this process has open: one environment for each directory, whatever path leads to it, because LMDB's
/// locks belong to a process. Each wormhole on a host's transport has a group of its own.
final class GroupRegistry {
    private enum Key: Hashable {
        case directory(device: UInt64, file: UInt64)
        case memory(String)
    }

    private let lock = Lock()
    private let forkCount: UInt32
    /// The registry of the process that this one was forked from: kept, and never looked into.
    private let parents: UnsafeMutablePointer<GroupRegistry>?
    /// Looked up by their current directories, which can be recreated.
    private var groups: [Group] = []

    private init(forkCount: UInt32, parents: UnsafeMutablePointer<GroupRegistry>?) {
        self.forkCount = forkCount
        self.parents = parents
    }

    /// Address of the registry; a forked child makes its own and never touches its parent's.
    private static let address = Atomic<UInt>(0)

    static var current: GroupRegistry {
        ProcessState.prepare()
        return ProcessState.lock.with {
            let forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
            let known = UnsafeMutablePointer<GroupRegistry>(bitPattern: address.load(ordering: .relaxed))
            if let known, known.pointee.forkCount == forkCount { return known.pointee }
            let fresh = UnsafeMutablePointer<GroupRegistry>.allocate(capacity: 1)
            fresh.initialize(to: GroupRegistry(forkCount: forkCount, parents: known))
            address.store(UInt(bitPattern: fresh), ordering: .relaxed)
            return fresh.pointee
        }
    }

    /// Returns the group of a location, opened if need be. ``close(_:slot:timeout:)`` ends each use.
    func open(_ location: GroupLocation, options: WormholeOptions) throws(CrosstieError) -> Group {
        guard let key = try GroupRegistry.key(of: location) else { return try GroupRegistry.open(location, options) }
        lock.lock()
        defer { lock.unlock() }
        try findAgain(location, timeout: options.timeoutNanoseconds)
        if let known = groups.first(where: { (try? GroupRegistry.key(of: $0.location)) == key }) {
            try known.require(options)
            known.useCount += 1
            return known
        }
        let group = try GroupRegistry.open(location, options)
        groups.append(group)
        return group
    }

    /// Has a group take possession of the directory that is to be opened, if that lies where its own was removed.
    private func findAgain(_ location: GroupLocation, timeout: UInt64) throws(CrosstieError) {
        guard case .directory(let wanted) = location else { return }
        for group in groups {
            guard case .directory(let known) = group.location, known.value.isRemoved,
                known.value.path == wanted.value.path
            else { continue }
            try group.checkFiles(timeout: timeout)
        }
    }

    /// Gives up a wormhole's slot and its use of the group; the last use closes it.
    func close(_ group: Group, _ memberSlot: MemberSlot, timeout: UInt64) {
        let isShared = group.isShared
        if isShared { lock.lock() }
        defer { if isShared { lock.unlock() } }
        group.release(memberSlot, timeout: timeout)
        endUse(of: group, timeout: timeout)
    }

    /// Takes a slot in a group that was just opened; when there is none, the use ends.
    func claimMemberSlot(in group: Group, name: [UInt8], timeout: UInt64) throws(CrosstieError) -> MemberSlot {
        let isShared = group.isShared
        if isShared { lock.lock() }
        defer { if isShared { lock.unlock() } }
        do throws(CrosstieError) {
            return try group.claimMemberSlot(name: name, timeout: timeout)
        } catch {
            endUse(of: group, timeout: timeout)
            throw error
        }
    }

    private func endUse(of group: Group, timeout: UInt64) {
        group.useCount -= 1
        guard group.useCount == 0 else { return }
        groups.removeAll { $0 === group }
        group.close(timeout: timeout)
    }

    private static func open(_ location: GroupLocation, _ options: WormholeOptions) throws(CrosstieError) -> Group {
        let group =
            switch location {
            case .directory(let directory): try openNamed(directory, options)
            case .memory where options.mustExist:
                throw CrosstieError(.notFound, "no wormhole of this process has the group open")
            case .memory(let name): try Group.open(inMemory: name, options)
            case .host(let transport): try Group.open(transport, options)
            }
        group.useCount = 1
        return group
    }

    /// Opens a group; errors name its directory.
    private static func openNamed(
        _ directory: OpenDirectory, _ options: WormholeOptions
    ) throws(CrosstieError) -> Group {
        do throws(CrosstieError) {
            return try open(directory, options)
        } catch {
            throw error.inDirectory(directory.value.path)
        }
    }

    private static func open(_ directory: OpenDirectory, _ options: WormholeOptions) throws(CrosstieError) -> Group {
        if options.mustExist { try directory.value.requireGroup() }
        let end = Clock.now() &+ options.timeoutNanoseconds
        while true {
            let group = try directory.value.withMembersLocked(timeout: options.timeoutNanoseconds) {
                () throws(CrosstieError) -> Group? in
                try openHeld(directory, options, until: end)
            }
            if let group { return group }
            guard Clock.now() < end else {
                throw CrosstieError(
                    .timedOut,
                    "files of the group were removed, and nobody has brought them back in \(options.timeoutNanoseconds / 1_000_000) ms",
                    at: directory.value.path)
            }
            Clock.sleep(nanoseconds: 5_000_000)
        }
    }

    /// Opens a directory, and marks it as in use as long as it is open. Nil if others have the group open and files are
    /// missing, which they will notice: the remaining files are no abandoned store then. The lock on opening is held.
    private static func openHeld(
        _ directory: OpenDirectory, _ options: WormholeOptions, until end: UInt64
    ) throws(CrosstieError) -> Group? {
        let isOthers = try directory.value.hold(until: end)
        do throws(CrosstieError) {
            let isComplete = try WakeupsFile.areComplete(in: directory.value)
            if !isOthers || isComplete { return try Group.open(directory, isOthers: isOthers, options) }
        } catch {
            // They may have been removed meanwhile.
            let isComplete = (try? WakeupsFile.areComplete(in: directory.value)) ?? true
            directory.value.release()
            guard isOthers, error.status == .busy || !isComplete else { throw error }
            return nil
        }
        directory.value.release()
        return nil
    }

    /// The key of a location; nil for one that two wormholes never share.
    private static func key(of location: GroupLocation) throws(CrosstieError) -> Key? {
        switch location {
        case .directory(let directory):
            var status = stat()
            guard fstat(directory.value.descriptor, &status) == 0 else { throw .system("stat", errno) }
            return .directory(device: UInt64(status.st_dev), file: UInt64(status.st_ino))
        case .memory(let name): return .memory(name)
        case .host: return nil
        }
    }
}
