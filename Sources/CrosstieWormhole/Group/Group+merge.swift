internal import CPlatform
internal import Glibc
import Synchronization

/// If the whole directory was removed, another process may create a group there without knowing the one that is still
/// open. The older group then takes the younger one in: it gets its location back, and sends the younger one's messages
/// again.
extension Group {
    /// Sets the files of a younger group aside and has its members move over. Returns the directory that has the files.
    /// The lock on opening is held.
    func setAside(
        _ younger: Wakeups, for old: Wakeups, in directory: borrowing GroupDirectory, timeout: UInt64
    ) throws(CrosstieError) -> String {
        let result = younger.lockWriters(timeout: timeout)
        guard result == 0 || result == EOWNERDEAD else {
            throw CrosstieError(.timedOut, "another group was made there, and a process of it has been stopped")
        }
        defer { cp_robust_unlock(younger.writerLock) }
        let name = "younger-\(WallClock.now())"
        guard mkdirat(directory.descriptor, name, 0o700) == 0 else { throw .system("make a directory", errno) }
        let aside = directory.path + "/" + name
        let target = try GroupDirectory(path: aside)
        // The wakeups last: a store without them would be taken for a remainder of this group's.
        for file in GroupDirectory.fileNames.reversed() {
            guard renameat(directory.descriptor, file, target.descriptor, file) == 0 || errno == ENOENT else {
                throw .system("rename \(file)", errno)
            }
        }
        younger.join(old)
        return aside
    }

    /// Sends the messages of a group whose files were set aside once more. This group is open again; the lock on
    /// opening is held.
    func takeIn(_ younger: Wakeups, from aside: String, timeout: UInt64) {
        defer { younger.notifyForDeadWriter() }
        do throws(CrosstieError) {
            let directory = try GroupDirectory(path: aside)
            guard try WakeupsFile.areComplete(in: directory) else {
                throw CrosstieError(.corruptData, "files of it are missing")
            }
            if !younger.isUsedByOthers { try StoreCheck.run(in: directory) }
            try younger.checkOptions()
            let store = try LMDBStore(path: directory.stablePath, wakeups: CurrentWakeups(younger))
            defer { store.close() }
            try sendAgain(store, younger, timeout: timeout)
            for file in GroupDirectory.fileNames { unlinkat(directory.descriptor, file, 0) }
            unlinkat(directory.descriptor, GroupDirectory.openingName, 0)
            rmdir(aside)
            warn(
                "another group had been created in the directory of an open one: its messages were sent again")
        } catch {
            warn(
                "another group had been created in the directory of an open one; it is kept in \(aside): \(error.message)"
            )
        }
    }

    private func sendAgain(_ store: LMDBStore, _ younger: Wakeups, timeout: UInt64) throws(CrosstieError) {
        let snapshot = try store.reading()
        let (theirs, own) = (try snapshot.meta().sequence(ofState: snapshot.number), try sequence())
        if theirs > own { try skip(Int(clamping: theirs &- own), timeout: timeout) }
        younger.moveSequence = try sequence()
        try scheduleAgain(snapshot, timeout: timeout)
        for key in try snapshot.cursorKeys() { try adopt(key, from: snapshot, timeout: timeout) }
        var queued: Set<UInt64> = []
        try snapshot.scanLog(after: 0) { sequence, record throws(CrosstieError) in
            guard let record else { return .next }
            queued.insert(sequence)
            let sender = Sender(pid: record.stamp.pid, name: Array(record.name), keepsLimits: false)
            try pass(record.kind, record.identifier, record.tags, record.payload, from: sender, timeout: timeout)
            return .next
        }
        for type in [StoreKey.current, StoreKey.signal] {
            try snapshot.scan(type) { identifier, stored throws(CrosstieError) in
                guard let record = StateRecord(stored), !queued.contains(record.stamp.sequence) else { return .next }
                let sender = Sender(pid: record.stamp.pid, name: Array(record.name), keepsLimits: false)
                try pass(record.kind, identifier, record.tags, record.payload, from: sender, timeout: timeout)
                return .next
            }
        }
    }

    /// Schedules the other group's waiting messages here.
    private func scheduleAgain(
        _ snapshot: borrowing StoreTransaction, timeout: UInt64
    ) throws(CrosstieError) {
        try snapshot.scanSchedule(from: []) { key throws(CrosstieError) in
            guard let message = try snapshot.scheduled(key), let change = message.change else { return .next }
            _ = try schedule([change], until: key.due, from: message.sender, timeout: timeout)
            return .next
        }
    }

    /// Creates a durable consumer of the other group with its options there, unless it exists.
    private func adopt(
        _ key: CursorKey, from snapshot: borrowing StoreTransaction, timeout: UInt64
    ) throws(CrosstieError) {
        if try storedCursor(key) != nil { return }
        let options = try snapshot.durableOptions(key)
        try declare(key, options, fromOldest: false, mayChange: true, timeout: timeout)
    }

    /// Skips numbers, so that no listener that has received them sees them twice.
    private func skip(_ count: Int, timeout: UInt64) throws(CrosstieError) {
        _ = try transactSeldom(
            count: count, timeout: timeout, room: nil, identifier: { _ in nil }, listeners: { MemberMask() }
        ) { _, _ throws(CrosstieError) in }
    }

    /// Sends one message. Unreadable ones are skipped, and so is destroying everything.
    private func pass(
        _ kind: MessageKind, _ identifier: UnsafeRawBufferPointer, _ tags: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer, from sender: Sender, timeout: UInt64
    ) throws(CrosstieError) {
        guard let identifier = Identifier(identifier) else { return }
        if kind == .value {
            guard let value = try? MessagePack.decode(payload) else { return }
            value.release()
        }
        let head = Array(tags) + Array(payload)
        try pass(
            Change(kind, identifier, head: head, isTagged: !tags.isEmpty), from: sender, timeout: timeout)
    }

    private func pass(_ change: Change, from sender: Sender, timeout: UInt64) throws(CrosstieError) {
        let outcome = withUnsafePointer(to: change) { change in
            Result { () throws(CrosstieError) in
                // Not with what other threads pass: those wait for locks that are held.
                try writeAloneSeldom(UnsafeBufferPointer(start: change, count: 1), from: sender, timeout: timeout)
            }
        }
        _ = try outcome.get()
    }
}
