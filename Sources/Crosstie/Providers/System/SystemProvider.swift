/// Shares by the system's own programs and launches the desktop's, by the tools of xdg-utils and never through a shell:
/// docs/providers-system.md.
public final class SystemProvider: ShareProvider, LaunchProvider {
    private let options: SystemProviderOptions
    private let files: PrivateFiles

    /// - Throws: *invalidArgument* (an option with a NUL, a directory that is not absolute), *limitExceeded* (one over 4,096 bytes).
    public init(_ options: SystemProviderOptions = SystemProviderOptions()) throws(CrosstieError) {
        self.options = try options.checked()
        files = PrivateFiles(in: options.directory, areKept: options.keepsFiles)
    }

    public var name: String { options.name }

    /// The kinds that go there anyway.
    public var endpoints: [Endpoint: Set<ShareKind>] { [.systemActivity: []] }

    public var platform: Platform { .system }

    public func share(_ message: Value, to endpoint: Endpoint, _ request: Request) -> Value? {
        let kind = ShareKind(rawValue: message[MessageField.identifier]?.stringValue ?? "")
        let share = SystemShare(message: message, kind: kind, options: options, files: files, request: request)
        return answer(request, share.run)
    }

    public func launch(_ program: Value, _ request: Request) -> Value? {
        answer(request) { () throws(CrosstieError) in
            let program = try DesktopProgram(program)
            try SystemTool.run(options.launcher, ["launch", program.entry] + program.arguments, for: request)
        }
    }

    /// Puts it into a bus's list.
    package func add(to bus: Handle, at position: Int) throws(CrosstieError) -> Handle {
        try BusRecord.addProvider(bus, SwiftProvider.content(self), at: position)
    }

    /// A failure is the status that the caller gets.
    private func answer(_ request: Request, _ work: () throws(CrosstieError) -> Void) -> Value? {
        do throws(CrosstieError) {
            try work()
            return .null
        } catch {
            try? request.refuse(error.status, error.message)
            return nil
        }
    }
}
