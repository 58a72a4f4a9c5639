internal import CPlatform
internal import Glibc

extension StoreCare {
    /// The result of a repair.
    package struct Repaired: Sendable {
        package let records: UInt64
        package let findings: UInt64
        /// Under which name the damaged store is kept.
        package let aside: String
    }

    /// Makes a store of the readable records of a damaged one. No process may have the group open. The damaged files
    /// are set aside.
    ///
    /// - Parameters:
    ///   - source: a file of the group's directory, such as a store that was set aside; nil: its `data.mdb`.
    ///   - report: gets each record that could not be kept as it was.
    /// - Throws: `notFound`, `busy` (a process has the group open), `noSpace`, `timedOut`, `unsafeFile`,
    ///   `incompatibleVersion`, `outOfMemory`, `systemFailure`.
    package static func repair(
        _ name: String, _ options: WormholeOptions, source: String?,
        report: (StoreFinding) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Repaired {
        try withDirectory(name, options) { directory, isInUse throws(CrosstieError) -> Repaired in
            try requireUnused(isInUse, directory.value)
            do throws(CrosstieError) {
                return try repair(in: directory, source ?? GroupDirectory.dataName, report)
            } catch {
                StoreSettings.withdraw(in: directory.value)
                throw error
            }
        }
    }

    private static func repair(
        in directory: OpenDirectory, _ source: String, _ report: (StoreFinding) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> Repaired {
        guard !source.utf8.contains(UInt8(ascii: "/")), try directory.value.size(of: source) != nil else {
            throw CrosstieError(.notFound, "there is no file \(source)", at: directory.value.path)
        }
        let file = cp_open_file(directory.value.descriptor, source)
        guard file >= 0 else { throw .system("open \(source)", errno) }
        defer { Glibc.close(file) }
        let (settings, areKnown) = try findSettings(for: source, in: directory.value)
        let builder = try StoreBuilder(in: directory.value, largestSize: settings.largestSize)
        let salvage = try Salvage(file)
        var mending = StoreMending(builder, number: salvage.number)
        try copy(salvage, &mending)
        guard areKnown || [0, StoreMeta.format].contains(mending.metaFormat) || mending.metaFormat > 1000 else {
            throw CrosstieError(
                .incompatibleVersion, "the store has format \(mending.metaFormat)", at: directory.value.path)
        }
        var findings = salvage.findings + mending.findings
        if !areKnown {
            findings.append(StoreFinding("wakeups", "", "cannot be read: the group has the default limits"))
        }
        for finding in findings { try report(finding) }
        let aside = source == GroupDirectory.dataName ? nil : source
        let kept = try Group.setAside(in: directory.value, since: "is repaired", nil)
        try settings.publish(builder, number: mending.number, in: directory)
        return Repaired(
            records: mending.keptCount, findings: UInt64(findings.count), aside: aside ?? kept ?? source)
    }

    private static func copy(_ salvage: Salvage, _ mending: inout StoreMending) throws(CrosstieError) {
        let locations = salvage.locations
        var start = 0
        while start < locations.count {
            var end = start + 1
            while end < locations.count, locations[end].key == locations[start].key { end += 1 }
            defer { start = end }
            // Its bytes are those of the record that refers to it.
            if locations[start].key.withUnsafeBytes({ Extent.owns($0) }) { continue }
            let found = locations[start..<end].compactMap { salvage.bytes(of: $0) }
            let isKnown = locations[start].key.withUnsafeBytes { RecordKind.of($0) != nil }
            let isNewest = locations[start].rank == 0
            // A stray record of an unknown kind may be outdated.
            if isNewest || isKnown { try mending.take(locations[start].key, found, isNewest: isNewest) }
        }
        try mending.finish()
    }

    /// The settings in the wakeups that belong to a store; the defaults if none can be read.
    private static func findSettings(
        for source: String, in directory: borrowing GroupDirectory
    ) throws(CrosstieError) -> (StoreSettings, areKnown: Bool) {
        let suffix = source.hasPrefix(GroupDirectory.dataName) ? source.dropFirst(GroupDirectory.dataName.count) : ""
        for name in [GroupDirectory.wakeupsName + suffix, GroupDirectory.wakeupsName] {
            if let settings = try StoreSettings.read(name, in: directory) { return (settings, true) }
        }
        let wakeups = try WakeupsFile.create(in: directory, WormholeOptions())
        defer { WakeupsFile.close(wakeups) }
        return (StoreSettings(wakeups), false)
    }
}
