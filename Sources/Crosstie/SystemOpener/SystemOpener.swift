/// Opens URLs by a program of the system: `xdg-open`, or the one that the host has named.
enum SystemOpener {
    /// Ends a request by starting the program with its URL's normal form. The program's own end is not waited for.
    static func open(_ block: RequestBlock.Pointer) {
        let parts = block.pointee.parts
        let url = String(decoding: parts.text(parts.normalForm), as: UTF8.self)
        do throws(CrosstieError) {
            let program = try BusRecord.withState(block.pointee.busHandle) { _, state in
                state.part(SystemOpenerPart.self).policy.program
            }
            let child = try Program.start(program, [url])
            // If the bus has been closed meanwhile, the child is not awaited.
            try? BusRecord.withState(block.pointee.busHandle) { _, state in state.children.add(child) }
            _ = block.end(.ok, code: Status.ok.code)
        } catch {
            block.end(error.status == .invalidHandle ? .closed : error.status, message: error.message)
        }
    }
}
