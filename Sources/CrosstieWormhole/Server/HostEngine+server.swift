internal import CCrosstie

/// The engine of an address.
extension HostEngine {
    /// Loads its library, and makes it for one member.
    ///
    /// - Throws: *unavailable*, *incompatibleABI*, and what the library answers.
    static func make(_ address: ServerAddress, _ options: WormholeOptions) throws(CrosstieError) -> HostEngine {
        let plugin = try EnginePlugin(address.scheme.family)
        var context: UnsafeMutableRawPointer?
        let texts = ServerTexts(address, options.server)
        try texts.bytes.withBytes { bytes throws(CrosstieError) in
            var server = ctie_engine_server(address, options)
            texts.lend(bytes, to: &server)
            let calls = HostCalls(of: "engine")
            try calls.call("create") { plugin.create(&server, &context) }
        }
        let engine = HostEngine(plugin.engine, context: context)
        do throws(CrosstieError) {
            try engine.check()
        } catch {
            engine.close()
            throw CrosstieError(.incompatibleABI, "the library of the address lacks a function")
        }
        return engine
    }
}

/// The texts for an engine, one behind the other: the hosts, then those of the options or of the address.
private struct ServerTexts {
    private(set) var bytes: [UInt8]
    private var ends: [Int]

    init(_ address: ServerAddress, _ options: ServerOptions) {
        bytes = address.hosts.text
        ends = [bytes.count]
        let own = [address.login.user, address.login.password, address.login.token]
        for index in 0..<ServerOptions.textCount {
            if index < own.count { bytes += own[index] }
            if !options.texts.isEmpty { bytes += options.texts[index].utf8 }
            ends.append(bytes.count)
        }
    }

    /// Sets the texts of a struct.
    func lend(_ bytes: UnsafeRawBufferPointer, to server: inout ctie_engine_server) {
        func text(_ index: Int) -> ctie_str {
            let start = index == 0 ? 0 : ends[index - 1]
            let data = bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) }
            return ctie_str(data: data, size: ends[index] - start)
        }
        server.hosts = text(0)
        (server.user, server.password, server.token) = (text(1), text(2), text(3))
        (server.nkey_seed, server.credentials) = (text(4), text(5))
        (server.tls_ca, server.tls_certificate, server.tls_key) = (text(6), text(7), text(8))
    }
}

extension ctie_engine_server {
    /// Without its texts.
    fileprivate init(_ address: ServerAddress, _ options: WormholeOptions) {
        self.init()
        size = MemoryLayout<ctie_engine_server>.size
        if address.scheme.usesTLS { flags |= UInt32(CTIE_ENGINE_SERVER_TLS) }
        if options.server.mayBeOffline { flags |= UInt32(CTIE_ENGINE_SERVER_OFFLINE) }
        replicas = UInt32(clamping: options.server.replicas ?? 0)
        max_age_ms = options.server.maximumAgeMilliseconds
        max_queued = options.givenMaximumQueued ?? 0
        max_queued_size = options.maximumQueuedSize ?? 0
    }
}
