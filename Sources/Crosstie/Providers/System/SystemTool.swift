internal import CPlatform
internal import Glibc

/// Running the system's tools for a request.
enum SystemTool {
    /// Starts a tool and waits for its end, or for the request's: then the tool goes on alone.
    ///
    /// - Parameter input: its input; nil for none.
    /// - Throws: *notInstalled* (there is no such tool, or it says that it misses one), *unknownAnswer* (it has failed),
    ///   *limitExceeded*, *outOfMemory*, *noSpace*, *systemFailure*.
    static func run(
        _ tool: String, _ arguments: [String], input: [UInt8]? = nil, for request: Request
    ) throws(CrosstieError) {
        guard let path = Program.find(tool) else { throw CrosstieError(.notInstalled, "\(tool) is not installed") }
        guard let block = request.block else { return }
        let file = try input.map { data throws(CrosstieError) in try memoryFile(data) } ?? -1
        defer { if file >= 0 { close(file) } }
        let child = try Program.start(path, arguments, input: file)
        switch wait(for: child, block) {
        case .running: try? BusRecord.withState(block.pointee.busHandle) { _, state in state.children.add(child) }
        case .exited(0), .ended: break
        case .exited(3): throw CrosstieError(.notInstalled, "\(tool) has not found a program that it needs")
        case .exited(let code): throw CrosstieError(.unknownAnswer, "\(tool) has failed with \(code)")
        case .killed(let signal): throw CrosstieError(.unknownAnswer, "\(tool) was ended by signal \(signal)")
        }
    }

    private static func wait(for child: pid_t, _ block: RequestBlock.Pointer) -> Program.State {
        var pause: UInt64 = 1_000_000
        var wait = NappingWait()
        while true {
            let state = Program.state(of: child)
            guard state == .running, !block.isCancelled else { return state }
            let end = block.sleep(until: min(Clock.now() &+ pause, block.pointee.deadline))
            if end == .unwanted || wait.isUnwanted() { block.end(.cancelled) }
            pause = min(pause &* 2, 50_000_000)
        }
    }

    /// A file rather than a pipe: nobody has to write while the tool reads, and a tool that does not read does no harm.
    private static func memoryFile(_ data: [UInt8]) throws(CrosstieError) -> Int32 {
        let file = cp_memory_file()
        guard file >= 0 else { throw .system("make a file in memory", errno) }
        do throws(CrosstieError) {
            try PrivateFiles.fill(file, with: data, "a file in memory")
        } catch {
            close(file)
            throw error
        }
        return file
    }
}
