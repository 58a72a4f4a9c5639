internal import Glibc
import Synchronization

/// Open files whose locks say that this process is there. A child that is forked shares the open files, and would go on
/// saying so after this process has died: it closes them as its first act.
package enum HeldFiles {
    private struct Entry {
        /// Negative for none.
        var file: Int32
        let next: UnsafeMutablePointer<Entry>?
    }

    private static var first: UnsafeMutablePointer<Entry>? {
        get { UnsafeMutablePointer(bitPattern: ProcessState.current.pointee.heldFiles.load(ordering: .relaxed)) }
        set { ProcessState.current.pointee.heldFiles.store(UInt(bitPattern: newValue), ordering: .relaxed) }
    }

    private static func find(_ file: Int32) -> UnsafeMutablePointer<Entry>? {
        var entry = first
        while let found = entry, found.pointee.file != file { entry = found.pointee.next }
        return entry
    }

    package static func contains(_ file: Int32) -> Bool { ProcessState.lock.with { find(file) != nil } }

    package static func add(_ file: Int32) {
        ProcessState.lock.with {
            guard find(file) == nil else { return }
            if let free = find(-1) {
                free.pointee.file = file
                return
            }
            let fresh = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
            fresh.initialize(to: Entry(file: file, next: first))
            first = fresh
        }
    }

    package static func remove(_ file: Int32) { ProcessState.lock.with { find(file)?.pointee.file = -1 } }

    /// In the child, which has the forking thread alone.
    static func didFork() {
        var entry = first
        while let found = entry {
            if found.pointee.file >= 0 { close(found.pointee.file) }
            found.pointee.file = -1
            entry = found.pointee.next
        }
    }
}
