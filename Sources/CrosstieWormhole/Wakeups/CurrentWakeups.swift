import Synchronization

/// The wakeups of a group, and the files that they belong to. When the group moves to other files, these are replaced
/// while threads look at them; the old ones stay until the group closes.
final class CurrentWakeups {
    struct Opened {
        let wakeups: Wakeups
        /// Of the group's directory, in the order of ``GroupDirectory/fileNames``; empty where nothing can be removed.
        var files: [FileIdentity?]
    }

    private let current: Atomic<UnsafeMutablePointer<Opened>>
    /// The current ones come last. Guarded by the current writers' lock.
    private var all: [UnsafeMutablePointer<Opened>] = []

    init(_ wakeups: Wakeups, files: [FileIdentity?] = []) {
        let opened = CurrentWakeups.make(Opened(wakeups: wakeups, files: files))
        current = Atomic(opened)
        all = [opened]
    }

    private static func make(_ opened: Opened) -> UnsafeMutablePointer<Opened> {
        let made = UnsafeMutablePointer<Opened>.allocate(capacity: 1)
        made.initialize(to: opened)
        return made
    }

    @inline(__always)
    var wakeups: Wakeups { current.load(ordering: .acquiring).pointee.wakeups }

    var files: [FileIdentity?] { current.load(ordering: .acquiring).pointee.files }

    /// Before anybody else looks.
    func note(_ files: [FileIdentity?]) { current.load(ordering: .relaxed).pointee.files = files }

    /// The writers' lock of the old wakeups is held.
    func replace(_ wakeups: Wakeups, files: [FileIdentity?]) {
        let opened = CurrentWakeups.make(Opened(wakeups: wakeups, files: files))
        all.append(opened)
        current.store(opened, ordering: .releasing)
    }

    deinit {
        for opened in all {
            opened.deinitialize(count: 1)
            opened.deallocate()
        }
    }

    /// Closes all of them. Nothing of the group is in use.
    func close() { for opened in all { WakeupsFile.close(opened.pointee.wakeups) } }
}
