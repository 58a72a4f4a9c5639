internal import CCrosstie

/// The functions of a wormhole that threads of its engine call. They stay until the engine has closed.
struct EngineHostTable {
    let table: UnsafeMutablePointer<ctie_engine_host>
    private let box: UnsafeMutablePointer<EngineHost>
    private let name: UnsafeMutableRawBufferPointer

    init(_ host: EngineHost, from sender: Sender, maximumValueSize: Int) {
        box = .allocate(capacity: 1)
        box.initialize(to: host)
        name = .allocate(byteCount: sender.name.count, alignment: 1)
        name.copyBytes(from: sender.name)
        table = .allocate(capacity: 1)
        table.initialize(
            to: ctie_engine_host(
                size: MemoryLayout<ctie_engine_host>.size, context: box,
                name: EngineBytes.lend(UnsafeRawBufferPointer(name)),
                max_value_size: UInt64(clamping: maximumValueSize), pid: sender.pid, reserved: 0,
                deliver: { context, binding, messages, count, credit in
                    guard let host = EngineHostTable.host(context) else { return Status.invalidArgument.rawValue }
                    let (status, returned) = host.deliver(binding, messages, count, keepsCredit: credit == nil)
                    credit?.pointee = UInt32(clamping: returned)
                    return status.rawValue
                },
                members_changed: { EngineHostTable.host($0)?.noteMembers() },
                log: { context, level, text in
                    guard let host = EngineHostTable.host(context), let bytes = EngineBytes.text(text) else { return }
                    let line = String(decoding: bytes.prefix(EngineBytes.longestLine), as: UTF8.self)
                    host.write(LogLevel(rawValue: level) ?? .error, line)
                },
                explain: { EngineHostTable.host($0)?.explain($1) },
                connection_changed: { EngineHostTable.host($0)?.noteConnection($1) },
                peer_connected: { EngineHostTable.host($0)?.peerConnected($1, $2) },
                peer_frame: { EngineHostTable.host($0)?.peerFrame($1, $2, $3) },
                peer_disconnected: { EngineHostTable.host($0)?.peerDisconnected($1, $2, $3) },
                peer_has_requests: { EngineHostTable.host($0)?.peerHasRequests($1, $2) ?? false }))
    }

    /// When the engine has closed.
    func free() {
        table.deallocate()
        name.deallocate()
        box.deinitialize(count: 1)
        box.deallocate()
    }

    private static func host(_ context: UnsafeMutableRawPointer?) -> EngineHost? {
        context?.assumingMemoryBound(to: EngineHost.self).pointee
    }
}
