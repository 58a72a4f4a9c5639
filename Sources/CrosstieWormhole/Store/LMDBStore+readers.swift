internal import CLMDB
internal import Glibc

/// A reader keeps pages that were freed since it began from being reused. One that is stopped, by a debugger or with
/// its container, does so until it continues.
extension LMDBStore {
    func hindrance(for size: Int) -> CrosstieError? {
        let needed = UInt64(clamping: size) / pageSize &+ 1
        guard let reader = oldestReader(), let kept = try? freePages(since: reader.state), kept >= needed else {
            return nil
        }
        let who = name(ofReader: reader.number)
        return CrosstieError(
            .busy, "the store has room, but \(who) has been reading too long and keeps \(kept) pages: is it stopped?")
    }

    var isReadBehind: Bool { oldestReader().map { $0.state < newestState } ?? false }

    /// The number of the oldest state that a transaction reads; the largest number for none.
    var oldestStateRead: UInt64 {
        var oldest = UInt64.max
        withUnsafeMutablePointer(to: &oldest) { oldest in
            _ = mdb_reader_list(
                environment,
                { line, context in
                    // The last word is the number. The head and an idle reader have another word there.
                    guard let line, let context, let word = strrchr(line, 0x20) else { return 0 }
                    guard (0x30...0x39).contains(word[1]) else { return 0 }
                    let state = UInt64(strtoull(word, nil, 10))
                    let oldest = context.assumingMemoryBound(to: UInt64.self)
                    oldest.pointee = min(oldest.pointee, state)
                    return 0
                }, oldest)
        }
        return oldest
    }

    /// The reader of the oldest state, and that state's number.
    private func oldestReader() -> (number: Int32, state: UInt64)? {
        var oldest: (number: Int32, state: UInt64)?
        withReaders { number, state in
            if state < oldest?.state ?? .max { oldest = (number, state) }
        }
        return oldest
    }

    /// Calls `body` with each reader, and the number of the state that it reads. LMDB lists them as lines of text.
    private func withReaders(_ body: (Int32, UInt64) -> Void) {
        var text = ""
        withUnsafeMutablePointer(to: &text) { text in
            _ = mdb_reader_list(
                environment,
                { line, context in
                    guard let line, let context else { return 0 }
                    context.assumingMemoryBound(to: String.self).pointee += String(cString: line)
                    return 0
                }, text)
        }
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // The header, and readers without a transaction, have no such numbers.
            guard fields.count == 3, let number = Int32(fields[0]), let state = UInt64(fields[2]) else { continue }
            body(number, state)
        }
    }

    private func name(ofReader number: Int32) -> String {
        if number == readerNumber { return "this process" }
        guard let process = wakeups.process(ofReader: number) else { return "a process" }
        let isNear = process.namespace == wakeups.namespace && process.namespace != 0
        return "process \(process.pid)" + (isNear ? "" : " of another PID namespace")
    }
}
