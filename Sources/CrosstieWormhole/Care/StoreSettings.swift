internal import Glibc

/// The settings that the wakeups' first bytes keep while no process has the store open.
struct StoreSettings {
    /// As in the file.
    var header: [UInt8]

    static var size: Int { WakeupsLayout.headerSize }

    init(_ wakeups: Wakeups) {
        header = Array(UnsafeRawBufferPointer(start: wakeups.base, count: StoreSettings.size))
    }

    /// Takes bytes of which every one may be wrong.
    init(header: [UInt8]) throws(CrosstieError) {
        guard header.count == StoreSettings.size else {
            throw CrosstieError(.corruptData, "\(GroupDirectory.wakeupsName) is of no known form")
        }
        self.header = header
        try WakeupsFile.check(
            magic: number(0), version: UInt32(truncatingIfNeeded: number(8)), size: WakeupsLayout.size)
    }

    private func number(_ position: Int) -> UInt64 {
        header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
    }

    var largestSize: UInt64 {
        let sizes = WormholeOptions.mapSizes
        return min(max(number(WakeupsLayout.maximumMapSizeOffset), sizes.lowerBound), sizes.upperBound)
    }

    private var isSystem: Bool { number(WakeupsLayout.flagsOffset) & UInt64(StoreFlags.system) != 0 }

    /// The settings in a file of wakeups, even if the bytes after them are damaged; nil if they are damaged themselves.
    static func read(_ name: String, in directory: borrowing GroupDirectory) throws(CrosstieError) -> StoreSettings? {
        guard let size = try directory.size(of: name), size >= StoreSettings.size else { return nil }
        let file = openat(directory.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { throw .system("open \(name)", errno) }
        defer { Glibc.close(file) }
        var header = [UInt8](repeating: 0, count: StoreSettings.size)
        guard pread(file, &header, header.count, 0) == header.count, let read = try? StoreSettings(header: header)
        else {
            return nil
        }
        let limits = [WakeupsLayout.queuedCountOffset, WakeupsLayout.queuedSizeOffset].map(read.number)
        let isKnown = StoreFlags.areKnown(UInt32(truncatingIfNeeded: read.number(WakeupsLayout.flagsOffset)))
        let largest = read.number(WakeupsLayout.maximumMapSizeOffset)
        return isKnown && WormholeOptions.mapSizes.contains(largest) && !limits.contains(0) ? read : nil
    }

    /// Puts a built file in the location of a group's store. No process has the group open, and none of its files
    /// exists.
    func publish(_ builder: StoreBuilder, number: UInt64, in directory: OpenDirectory) throws(CrosstieError) {
        let used = try builder.finish(number: number)
        let size = StoreBuilder.goodSize(for: used, atMost: largestSize)
        guard size >= used else { throw CrosstieError(.noSpace, "the store would be over \(largestSize) bytes") }
        try builder.setSize(size, allocated: size)
        let wakeups = try WakeupsFile.create(in: directory.value, header: header)
        defer { WakeupsFile.close(wakeups) }
        wakeups.mapSize.pointee.store(size, ordering: .relaxed)
        try wakeups.checkOptions()
        try wakeups.makeLocks()
        wakeups.boot = Boot.identity()
        wakeups.dataFile = builder.identity
        wakeups.beginLineage()
        wakeups.isClean = true
        try WakeupsFile.syncWhole(wakeups)
        try directory.value.createLocks()
        guard
            renameat(directory.value.descriptor, StoreBuilder.name, directory.value.descriptor, GroupDirectory.dataName)
                == 0
        else { throw .system("rename data.mdb", errno) }
        try WakeupsFile.publish(in: directory.value)
        try directory.value.sync()
    }

    /// Removes the leftovers of a failed publication.
    static func withdraw(in directory: borrowing GroupDirectory) {
        for name in [StoreBuilder.name, WakeupsFile.nameWhileMade] { unlinkat(directory.descriptor, name, 0) }
    }
}
