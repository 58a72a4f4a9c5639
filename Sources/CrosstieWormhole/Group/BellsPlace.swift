import Synchronization

/// The bells of a group, and the files that they belong to. When the group goes on in other files these are replaced,
/// while threads look at them; so those before stay until the group closes.
final class BellsPlace {
    struct Opened {
        let bells: Bells
        /// Of the group's directory, in the order of ``Group/fileNames``; empty where nothing can be removed.
        var files: [FileIdentity?]
    }

    private let current: Atomic<UnsafeMutablePointer<Opened>>
    /// The current ones come last. Guarded by the current writers' lock.
    private var all: [UnsafeMutablePointer<Opened>] = []

    init(_ bells: Bells, files: [FileIdentity?] = []) {
        let opened = BellsPlace.make(Opened(bells: bells, files: files))
        current = Atomic(opened)
        all = [opened]
    }

    private static func make(_ opened: Opened) -> UnsafeMutablePointer<Opened> {
        let made = UnsafeMutablePointer<Opened>.allocate(capacity: 1)
        made.initialize(to: opened)
        return made
    }

    @inline(__always)
    var bells: Bells { current.load(ordering: .acquiring).pointee.bells }

    var files: [FileIdentity?] { current.load(ordering: .acquiring).pointee.files }

    /// Before anybody else looks.
    func note(_ files: [FileIdentity?]) { current.load(ordering: .relaxed).pointee.files = files }

    /// The writers' lock of the bells before is held.
    func replace(_ bells: Bells, files: [FileIdentity?]) {
        let opened = BellsPlace.make(Opened(bells: bells, files: files))
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
    func close() { for opened in all { BellsFile.close(opened.pointee.bells) } }
}
