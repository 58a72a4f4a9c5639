internal import CPlatform

/// A file system, by what several processes may expect of its files.
enum FileSystem {
    /// File systems whose mapped files or locks are not shared by all processes, by the numbers that `statfs(2)` gives:
    /// another machine changes the files too, or a server of its own keeps them.
    private static let foreign: [(type: UInt32, name: String)] = [
        (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"), (0x517B, "SMB"), (0x6573_5546, "FUSE"),
        (0x6A65_6A63, "virtiofs"), (0x0102_1997, "9P"), (0x00C3_6400, "Ceph"), (0x5346_414F, "AFS"),
        (0x0116_1970, "GFS2"), (0x7461_636F, "OCFS2"), (0x0BD0_0BD0, "Lustre"), (0x7375_7245, "Coda"),
        (0x786F_4256, "VirtualBox's shared folders"),
    ]

    /// The name of an open directory's file system if it is none on which processes can share a group.
    static func foreignName(of directory: Int32) -> String? {
        let type = cp_file_system(directory)
        return foreign.first { $0.type == type }?.name
    }
}
