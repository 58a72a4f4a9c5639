internal import CCrosstie
internal import CPlatform

/// The library of an engine for addresses, which stays loaded.
struct EnginePlugin {
    let engine: ctie_engine
    let create: (UnsafePointer<ctie_engine_server>, UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> ctie_status

    /// - Throws: *unavailable* if there is no such library, *incompatibleABI* for one of another release.
    init(_ family: String) throws(CrosstieError) {
        let library = "libcrosstie-\(family).so.0"
        let found = try EnginePlugin.find("ctie_engine_\(family)", in: library, of: family)
        // Read word by word: its functions may be missing.
        let address = UInt(bitPattern: found)
        guard address % UInt(MemoryLayout<ctie_engine_plugin>.alignment) == 0,
            found.load(as: Int.self) >= MemoryLayout<ctie_engine_plugin>.size,
            found.load(fromByteOffset: EnginePlugin.abiOffset, as: UInt32.self) == CTIE_ENGINE_PLUGIN_ABI,
            found.load(fromByteOffset: EnginePlugin.createOffset, as: UInt.self) != 0,
            let functions = found.load(fromByteOffset: EnginePlugin.engineOffset, as: UnsafeRawPointer?.self),
            let engine = EnginePlugin.functions(functions)
        else { throw CrosstieError(.incompatibleABI, "\(library) is of another release than this library") }
        self.engine = engine
        create = found.load(as: ctie_engine_plugin.self).create
    }

    private static var abiOffset: Int { 8 }
    private static var engineOffset: Int { 16 }
    private static var createOffset: Int { 24 }
    /// No table of functions will ever be longer.
    private static var longest: Int { 1024 }

    private static func find(
        _ name: String, in library: String, of family: String
    ) throws(CrosstieError) -> UnsafeRawPointer {
        var reason = [CChar](repeating: 0, count: 512)
        let found = reason.withUnsafeMutableBufferPointer { cp_library_object(library, name, $0.baseAddress, $0.count) }
        if let found { return found }
        let why = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw CrosstieError(.unavailable, "install crosstie-\(family) (\(why))")
    }

    /// A copy of the functions, as many as this library knows; nil for a table that cannot be.
    private static func functions(_ given: UnsafeRawPointer) -> ctie_engine? {
        guard UInt(bitPattern: given) % UInt(MemoryLayout<ctie_engine>.alignment) == 0 else { return nil }
        let (size, own) = (given.load(as: Int.self), MemoryLayout<ctie_engine>.size)
        guard size >= 16, size <= longest, size % 8 == 0 else { return nil }
        var functions = ctie_engine()
        withUnsafeMutableBytes(of: &functions) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: given, count: min(size, own)))
        }
        return functions
    }
}
