/// A store as lines of text: one that tells what it is, one for each record, and one that tells that it is whole.
///
/// A record's line has its key and its bytes, by which it is restored, and what they mean, by which it is read.
enum StoreDump {
    static var format: Int64 { 1 }

    static func head(_ settings: StoreSettings, group: String, number: UInt64, sequence: UInt64) -> ValueMap {
        ValueMap([
            ("crosstie", .string("store")), ("format", .int(format)), ("group", .string(group)),
            ("number", .number(number)), ("sequence", .number(sequence)), ("time", .int(WallClock.now())),
            ("bells", .string(settings.header.withUnsafeBytes { Base64.encode($0) })),
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
    /// - Parameter write: gets each line. As long as it takes its time the store reuses nothing.
    /// - Returns: how many records there are.
    /// - Throws: as opening; `corruptData` for a record that is over what a line can hold; what `write` throws.
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

    /// Makes a group of the lines of a dump. It is there once everything has been read and agrees; until then nothing is.
    ///
    /// - Parameters:
    ///   - replaces: whether a group that nobody has open is put aside first.
    ///   - next: gives the next line, nil at the end.
    ///   - tell: gets what was wrong already when it was dumped.
    /// - Returns: how many records there are.
    /// - Throws: `conflict` (there is a group), `busy` (somebody has it open), `invalidFormat` with the line that is not as a dump
    ///   has it, `noSpace`, `incompatibleVersion`, `timedOut`, `unsafeFile`, `outOfMemory`, `systemFailure`; what `next` throws.
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
