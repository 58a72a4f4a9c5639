internal import CPlatform
internal import Glibc

/// Memory that this process shares with a peer.
///
/// Nothing in it is believed: the peer may change it at any time. Each field is read once, into a local that is checked, and
/// a frame is copied before it is read.
final class SharedMemory: @unchecked Sendable {
    private let mapped: UnsafeMutableRawPointer
    private let forkCount: UInt32

    /// The memory of a forked child, which does not have the shared one, but may still write there.
    private nonisolated(unsafe) static let blank = mmap(
        nil, SharedLayout.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)

    private init(_ mapped: UnsafeMutableRawPointer) {
        self.mapped = mapped
        forkCount = ProcessState.current.pointee.forkCount.load(ordering: .relaxed)
    }

    deinit { if isHere { munmap(mapped, SharedLayout.size) } }

    private var isHere: Bool { forkCount == ProcessState.current.pointee.forkCount.load(ordering: .relaxed) }

    private var base: UnsafeMutableRawPointer { isHere ? mapped : SharedMemory.blank ?? mapped }

    /// Whether this process can use such memory at all.
    static var isPossible: Bool { cp_waits_for_several() }

    /// Makes the memory, and the file to send to the peer, which the caller closes. Nil where the system refuses.
    static func make() -> (memory: SharedMemory, file: Int32)? {
        let file = cp_shared_make(SharedLayout.size)
        guard file >= 0 else { return nil }
        guard let base = cp_shared_map(file, SharedLayout.size) else {
            close(file)
            return nil
        }
        base.copyMemory(from: SharedLayout.magic.utf8Start, byteCount: SharedLayout.magic.utf8CodeUnitCount)
        base.storeBytes(
            of: SharedLayout.version.littleEndian, toByteOffset: SharedLayout.versionOffset, as: UInt32.self)
        return (SharedMemory(base), file)
    }

    /// Maps a peer's file. Nil if it is not sealed as this library does it, or has another form.
    static func map(_ file: Int32) -> SharedMemory? {
        guard let base = cp_shared_map(file, SharedLayout.size) else { return nil }
        let memory = SharedMemory(base)
        let magic = SharedLayout.magic.bytes
        let isKnown = magic.elementsEqual(UnsafeRawBufferPointer(start: base, count: magic.count))
        let version = UInt32(littleEndian: base.load(fromByteOffset: SharedLayout.versionOffset, as: UInt32.self))
        return isKnown && version == SharedLayout.version ? memory : nil
    }

    func word(_ offset: Int) -> UnsafeMutablePointer<UInt32> {
        (base + offset).assumingMemoryBound(to: UInt32.self)
    }

    func bytes(_ offset: Int) -> UnsafeMutableRawPointer { base + offset }
}
