internal import Glibc

/// Descriptors of a peer. They come by the socket with a frame of their own, right before the frame that names them. Only on
/// the join's thread.
extension Peer {
    /// Whether a frame tells of descriptors, and this side reads them.
    func isDescribing(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first == Frame.Kind.descriptors.rawValue && isCompatible
    }

    /// Takes the descriptors that came with the frame. False if it breaks the form: there are others than it says, or none has
    /// named those before.
    func acceptDescriptors(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let socket else { return false }
        let lacks = socket.lacksDescriptors
        let files = socket.takeDescriptors()
        guard brought.isNone, case .descriptors(let count) = Frame(bytes),
            lacks ? files.count < count : files.count == count
        else {
            for file in files { close(file) }
            return false
        }
        if files.count == count {
            brought = budget.take(files).map(BroughtDescriptors.files) ?? .refused
        } else {
            // This process has no room for more open files, which is not the peer's fault.
            for file in files { close(file) }
            brought = .refused
        }
        return true
    }
}
