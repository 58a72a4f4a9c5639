internal import Glibc

/// An open file of this process as the content of a value. It is closed with the last value that has it.
package final class Descriptor: Sendable {
    package let file: Int32
    private let whenClosed: (@Sendable () -> Void)?

    /// Takes an open file.
    package init(adopting file: Int32, whenClosed: (@Sendable () -> Void)? = nil) {
        (self.file, self.whenClosed) = (file, whenClosed)
    }

    /// Duplicates an open file, which stays the caller's.
    ///
    /// - Throws: `invalidArgument` for a number that is no open file; `systemFailure` without room for another.
    package convenience init(duplicating file: Int32) throws(CrosstieError) {
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else {
            if errno == EBADF { throw CrosstieError(.invalidArgument, "\(file) is no open file") }
            throw .system("duplicate the descriptor \(file)", errno)
        }
        self.init(adopting: copy)
    }

    deinit {
        close(file)
        whenClosed?()
    }
}

/// A descriptor is an object of this library in a foreign value, so that it goes through calls unchanged.
extension ValueRef {
    /// A value with a descriptor, which it retains.
    package static func descriptor(_ descriptor: Descriptor) throws(CrosstieError) -> ValueRef {
        try .swiftObject(descriptor)
    }

    /// The descriptor; nil for another kind.
    package var descriptor: Descriptor? { swiftObject(as: Descriptor.self) }
}
