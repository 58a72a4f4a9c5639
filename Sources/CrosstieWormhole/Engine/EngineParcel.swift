internal import CCrosstie

/// Messages as an engine gets them, with everything that they borrow.
struct EngineParcel {
    private var messages: [ctie_engine_message] = []
    private let bytes: UnsafeMutableRawBufferPointer
    private let headers: UnsafeMutableBufferPointer<ctie_header>

    /// - Parameters:
    ///   - name: the sender's, lent for as long.
    ///   - due: their earliest delivery; 0 for now.
    init(_ changes: UnsafeBufferPointer<Change>, from sender: Sender, _ name: UnsafeRawBufferPointer, due: Int64) {
        bytes = .allocate(byteCount: changes.reduce(0) { $0 &+ $1.size }, alignment: 1)
        headers = .allocate(capacity: changes.reduce(0) { $0 &+ $1.headerCount })
        messages.reserveCapacity(changes.count)
        let stamp = sender.stamp(0)
        var (position, headerCount) = (0, 0)
        for change in changes {
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[position..<position + change.size])
            position += change.size
            change.encode(into: room)
            var message = ctie_engine_message(change, stamp)
            message.sender_name = EngineBytes.lend(name)
            message.not_before = due
            add(change, UnsafeRawBufferPointer(room), &message, &headerCount)
            messages.append(message)
        }
    }

    private func add(
        _ change: Change, _ room: UnsafeRawBufferPointer, _ message: inout ctie_engine_message, _ headerCount: inout Int
    ) {
        guard change.isTagged, let tags = MessageTags(before: room) else {
            message.value = EngineBytes.lend(value: room)
            return
        }
        message.value = EngineBytes.lend(value: UnsafeRawBufferPointer(rebasing: room[tags.bytes.count...]))
        message.expires = tags.expiry
        guard tags.count > 0 else { return }
        message.headers = headers.baseAddress.map { UnsafePointer($0 + headerCount) }
        message.header_count = tags.count
        for index in 0..<tags.count {
            guard let pair = tags[index] else { break }
            headers[headerCount] = ctie_header(name: EngineBytes.lend(pair.name), value: EngineBytes.lend(pair.value))
            headerCount += 1
        }
    }

    func withMessages<Result>(
        _ body: (UnsafePointer<ctie_engine_message>, Int) -> Result
    ) -> Result? {
        messages.withUnsafeBufferPointer { lent in lent.baseAddress.map { body($0, lent.count) } }
    }

    func free() {
        bytes.deallocate()
        headers.deallocate()
    }
}

extension Change {
    fileprivate var headerCount: Int {
        guard isTagged, let head else { return 0 }
        return head.withUnsafeBytes { MessageTags(before: $0)?.count ?? 0 }
    }
}

extension ctie_engine_message {
    fileprivate init(_ change: Change, _ stamp: Stamp) {
        self.init()
        size = MemoryLayout<ctie_engine_message>.size
        kind = change.kind.rawValue
        if let identifier = change.identifier { self.identifier = EngineBytes.lend(identifier.bytes) }
        time = stamp.time
        sender_pid = stamp.pid
    }
}
