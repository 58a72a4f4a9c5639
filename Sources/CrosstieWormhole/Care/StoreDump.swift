/// A store as lines of text: a first line that describes it, one for each record, and a last line that marks it as
/// complete.
///
/// A record's line has its key and its bytes, from which it is restored, and its meaning, for readers.
enum StoreDump {
    static var format: Int64 { 1 }

    static func head(_ settings: StoreSettings, group: String, number: UInt64, sequence: UInt64) -> ValueMap {
        ValueMap([
            ("crosstie", .string("store")), ("format", .int(format)), ("group", .string(group)),
            ("number", .number(number)), ("sequence", .number(sequence)), ("time", .int(WallClock.now())),
            ("wakeups", .string(settings.header.withUnsafeBytes { Base64.encode($0) })),
        ])
    }

    /// The line of a record. Of one that is damaged, or whose meaning has no form in JSON, it has the bytes alone.
    static func line(
        _ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer
    ) throws(CrosstieError) -> String {
        let name = ("record", Value.string(RecordKind.name(of: key)))
        let bytes = [("key", Value.string(Base64.encode(key))), ("bytes", Value.string(Base64.encode(record)))]
        if let fields = RecordKind.fields(key, record) {
            // Deeper than JSON may be, or longer.
            if let text = try? Value.map(ValueMap([name] + fields + bytes)).json() { return text }
        }
        return try Value.map(ValueMap([name, ("unreadable", true)] + bytes)).json()
    }

    static func end(_ sum: StoreSum) -> ValueMap {
        ValueMap([("end", true), ("records", .number(sum.count)), ("sum", .string(String(sum.value, radix: 16)))])
    }
}

extension StoreCare {
    /// Writes one state of a group as lines of JSON, while others may write.
    ///
    /// - Parameter write: gets each line. While it runs, the store reuses no pages.
    /// - Returns: the number of records.
    /// - Throws: as opening; `corruptData` for a record that is too large for a line; errors of `write`.
    package static func dump(
        _ name: String, _ options: WormholeOptions, write: (String) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> UInt64 {
        try withGroup(name, options) { group, _ throws(CrosstieError) -> UInt64 in
            var sum = StoreSum()
            let settings = StoreSettings(group.wakeups)
            try group.read { snapshot throws(CrosstieError) in
                let sequence = try snapshot.meta().sequence(ofState: snapshot.number)
                let head = StoreDump.head(settings, group: name, number: snapshot.number, sequence: sequence)
                try write(try Value.map(head).json())
                try [0].withBytes { first throws(CrosstieError) in
                    try snapshot.records.scan(from: first) { key, record throws(CrosstieError) in
                        sum.take(key, record)
                        try write(try StoreDump.line(key, record))
                        return .next
                    }
                }
            }
            try write(try Value.map(StoreDump.end(sum)).json())
            return sum.count
        }
    }

    /// Makes a group from the lines of a dump. The group appears once everything has been read and is consistent.
    ///
    /// - Parameters:
    ///   - replaces: whether a group that no process has open is set aside first.
    ///   - next: gives the next line, nil at the end.
    ///   - report: receives the problems that were there when it was dumped.
    /// - Returns: the number of records.
    /// - Throws: `conflict` (the group exists), `busy` (a process has it open), `invalidFormat` with the malformed
    ///   line, `noSpace`, `incompatibleVersion`, `timedOut`, `unsafeFile`, `outOfMemory`, `systemFailure`; errors of
    ///   `next`.
    package static func restore(
        _ name: String, _ options: WormholeOptions, replaces: Bool, next: () throws(CrosstieError) -> String?,
        report: (StoreFinding) throws(CrosstieError) -> Void
    ) throws(CrosstieError) -> UInt64 {
        try withDirectory(name, options, mustExist: false) {
            directory, isInUse throws(CrosstieError) -> UInt64 in
            try requireUnused(isInUse, directory.value)
            var isThere = false
            for file in GroupDirectory.fileNames where try directory.value.size(of: file) != nil { isThere = true }
            guard !isThere || replaces else {
                throw CrosstieError(.conflict, "there is a group already", at: directory.value.path)
            }
            do throws(CrosstieError) {
                var reader = StoreDumpReader()
                let (builder, settings) = try reader.read(in: directory.value, next: next)
                for finding in reader.findings { try report(finding) }
                if isThere { try Group.setAside(in: directory.value, since: "is replaced", nil) }
                try settings.publish(builder, number: reader.number, in: directory)
                return reader.sum.count
            } catch {
                StoreSettings.withdraw(in: directory.value)
                throw error
            }
        }
    }
}
