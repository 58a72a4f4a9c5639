internal import CPlatform
internal import Glibc

/// The check of a store's pages before LMDB sees them. LMDB follows the numbers in its pages wherever they lead, so a
/// page with garbage in it would end or hang the process.
///
/// It looks at every page that is in use but for the insides of large values, and takes time in proportion to those.
enum StoreCheck {
    /// Throws CTIE_E_CORRUPT for a store that LMDB must not open. No process has it open.
    static func run(in directory: borrowing GroupDirectory) throws(CrosstieError) {
        let descriptor = cp_open_file(directory.descriptor, GroupDirectory.dataName)
        guard descriptor >= 0 else { throw .system("open data.mdb", errno) }
        defer { close(descriptor) }
        let meta = try NewestMeta(descriptor)
        let file = try PageFile(file: descriptor, pageSize: meta.pageSize, pageCount: meta.pageCount)
        var main = try TreeCheck(meta.main, pageSize: meta.pageSize)
        try main.run(file) { _ in }
        var free = try TreeCheck(meta.free, pageSize: meta.pageSize)
        try free.run(file) { node throws(CrosstieError) in try FreePages.take(node, file, commit: meta.commit) }
    }
}
