internal import Glibc
import Synchronization

/// The library's own resolver of `c:symbol` and `c:library:symbol`: functions of the handlers' type, in the process or
/// in a shared library, which stays open. A symbol found once is not looked up again.
final class CSymbols: Sendable {
    static var prefix: [UInt8] { [UInt8(ascii: "c")] }

    /// The functions' addresses by their targets.
    private let found = Mutex<[[UInt8]: UInt]>([:])

    static var content: RegistrationContent {
        RegistrationContent(handler: perform, context: CallbackContext(holding: CSymbols()))
    }

    private static let perform: HandlerFunction = { raw, context in
        let handle = Handle(bits: UInt(bitPattern: raw))
        guard let symbols = CallbackContext.object(context, as: CSymbols.self),
            case .live(let block) = RequestBlock.request(handle), let target = block.target
        else { return }
        guard !block.isRelease else {
            _ = RequestBlock.refuse(handle, .notFound, message: .empty)
            return
        }
        switch symbols.function(Array(target)) {
        case .success(let function): function(raw, nil)
        case .failure(let failure):
            failure.message.withUnsafeBytes { _ = RequestBlock.refuse(handle, .noTarget, message: $0) }
        }
    }

    private struct Missing: Error {
        let message: [UInt8]
    }

    private func function(_ target: [UInt8]) -> Result<HandlerFunction, Missing> {
        if let address = found.withLock({ $0[target] }), let function = Self.function(at: address) {
            return .success(function)
        }
        // Without the lock: a library that is opened runs code of its own.
        return look(for: target).flatMap { address in
            found.withLock { $0[target] = address }
            return Self.function(at: address).map { .success($0) } ?? .failure(Missing(message: []))
        }
    }

    private static func function(at address: UInt) -> HandlerFunction? {
        UnsafeRawPointer(bitPattern: address).map { unsafeBitCast($0, to: HandlerFunction.self) }
    }

    /// Nil as the library means all symbols of the process.
    private func look(for target: [UInt8]) -> Result<UInt, Missing> {
        let what = target.dropFirst(Self.prefix.count + 1)
        let colon = what.lastIndex(of: PerformTarget.colon)
        var library: UnsafeMutableRawPointer?
        if let colon {
            guard colon > what.startIndex else { return .failure(Missing(message: [])) }
            library = dlopen(Self.text(what[..<colon]), RTLD_NOW | RTLD_LOCAL)
            guard library != nil else { return .failure(Self.missing) }
        }
        let symbol = colon.map { what[($0 + 1)...] } ?? what
        guard let address = dlsym(library, Self.text(symbol)) else { return .failure(Self.missing) }
        return .success(UInt(bitPattern: address))
    }

    /// As the linker's functions take it; no target holds a NUL.
    private static func text(_ bytes: ArraySlice<UInt8>) -> [CChar] { bytes.map(CChar.init(bitPattern:)) + [0] }

    /// The dynamic linker's message.
    private static var missing: Missing {
        Missing(message: dlerror().map { Array(String(cString: $0).utf8) } ?? [])
    }
}
