internal import Glibc

/// What the bells keep of a store while nobody has it open: their first bytes.
struct StoreSettings {
    /// As they stand in the file.
    var header: [UInt8]

    static var size: Int { BellsLayout.headerSize }

    init(_ bells: Bells) {
        header = Array(UnsafeRawBufferPointer(start: bells.base, count: StoreSettings.size))
    }

    /// Takes bytes of which every one may be wrong.
    init(header: [UInt8]) throws(CrosstieError) {
        guard header.count == StoreSettings.size else { throw CrosstieError(.corruptData, "bells is of no known form") }
        self.header = header
        try BellsFile.check(magic: number(0), version: UInt32(truncatingIfNeeded: number(8)), size: BellsLayout.size)
    }

    private func number(_ place: Int) -> UInt64 {
        header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
    }

    var largestSize: UInt64 {
        let sizes = WormholeOptions.mapSizes
        return min(max(number(BellsLayout.maximumMapSizeOffset), sizes.lowerBound), sizes.upperBound)
    }

    private var isSystem: Bool { number(BellsLayout.flagsOffset) & UInt64(StoreFlags.system) != 0 }

    /// What the bells of a file tell, also of one that is damaged behind them; nil if they are.
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
        let limits = [BellsLayout.queuedCountOffset, BellsLayout.queuedSizeOffset].map(read.number)
        let isKnown = StoreFlags.areKnown(UInt32(truncatingIfNeeded: read.number(BellsLayout.flagsOffset)))
        let largest = read.number(BellsLayout.maximumMapSizeOffset)
        return isKnown && WormholeOptions.mapSizes.contains(largest) && !limits.contains(0) ? read : nil
    }

    /// Puts a file that was built in the place of a group's store. Nobody has the group open, and no file of it is there.
    func publish(_ builder: StoreBuilder, number: UInt64, in directory: OpenDirectory) throws(CrosstieError) {
        let used = try builder.finish(number: number)
        let size = StoreBuilder.goodSize(for: used, atMost: largestSize)
        guard size >= used else { throw CrosstieError(.noSpace, "the store would be over \(largestSize) bytes") }
        try builder.setSize(size, allocated: size)
        let bells = try BellsFile.create(in: directory.value, header: header)
        defer { BellsFile.close(bells) }
        bells.mapSize.pointee.store(size, ordering: .relaxed)
        try Group.check(bells)
        try bells.makeLocks()
        bells.boot = Boot.identity()
        bells.dataFile = builder.identity
        bells.beginLineage()
        bells.isClean = true
        try BellsFile.syncWhole(bells)
        Glibc.close(try directory.value.create(LMDBStore.lockName, size: LMDBStore.lockSize))
        guard
            renameat(directory.value.descriptor, StoreBuilder.name, directory.value.descriptor, LMDBStore.dataName) == 0
        else { throw .system("rename data.mdb", errno) }
        try BellsFile.publish(in: directory.value)
        try directory.value.sync()
    }

    /// Removes what a publication that failed has left.
    static func withdraw(in directory: borrowing GroupDirectory) {
        for name in [StoreBuilder.name, BellsFile.nameWhileMade] { unlinkat(directory.descriptor, name, 0) }
    }
}
