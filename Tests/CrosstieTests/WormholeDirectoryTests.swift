internal import Glibc
import Testing

@testable import Crosstie
@testable import CrosstieWormhole

/// Directories and files that somebody has tampered with.
@Suite struct WormholeDirectoryTests {
    let scratch = Scratch()

    @Test func directoryIsMadeForItsOwnerAlone() throws {
        try scratch.makeGroup()
        var info = stat()
        stat(scratch.group, &info)
        #expect(info.st_mode & 0o777 == 0o700)
        for file in ["wakeups", "data.mdb", "lock.mdb"] {
            stat("\(scratch.group)/\(file)", &info)
            #expect(info.st_mode & 0o777 == 0o600, "\(file)")
        }
    }

    @Test func linkInPlaceOfTheDirectory() throws {
        mkdir(scratch.path + "/real", 0o700)
        symlink(scratch.path + "/real", scratch.group)
        #expect(scratch.openFailure() == .unsafeFile)
    }

    @Test func fileInPlaceOfTheDirectory() throws {
        close(creat(scratch.group, 0o600))
        #expect(scratch.openFailure() == .unsafeFile)
    }

    @Test(arguments: [0o770, 0o707, 0o777] as [mode_t])
    func directoryThatOthersCanWrite(mode: mode_t) throws {
        mkdir(scratch.group, 0o700)
        chmod(scratch.group, mode)
        #expect(scratch.openFailure() == .unsafeFile)
    }

    @Test(arguments: ["wakeups", "data.mdb", "lock.mdb"])
    func filesOfAnotherKind(file: String) throws {
        try scratch.makeGroup()
        let path = "\(scratch.group)/\(file)"
        chmod(path, 0o620)
        #expect(scratch.openFailure() == .unsafeFile)
        chmod(path, 0o600)
        rename(path, scratch.path + "/moved")
        symlink(scratch.path + "/moved", path)
        #expect(scratch.openFailure() == .unsafeFile)
        unlink(path)
        link(scratch.path + "/moved", path)
        #expect(scratch.openFailure() == .unsafeFile)
        unlink(path)
        mkfifo(path, 0o600)
        #expect(scratch.openFailure() == .unsafeFile)
        unlink(path)
        mkdir(path, 0o700)
        #expect(scratch.openFailure() == .unsafeFile)
        rmdir(path)
        rename(scratch.path + "/moved", path)
        #expect(try scratch.open().message("kept")?.value == 7)
    }

    @Test(arguments: ["wakeups", "data.mdb", "lock.mdb"], [0, 1, 20, 4096, 60_000])
    func filesThatWereCut(file: String, size: Int) throws {
        try scratch.makeGroup()
        truncate("\(scratch.group)/\(file)", size)
        #expect(scratch.openFailure() == .unsafeFile)
    }

    @Test func wakeupsOfNoKnownForm() throws {
        try scratch.makeGroup()
        scratch.overwrite("wakeups", at: 0, with: [1, 2, 3])
        #expect(scratch.openFailure() == .corruptData)
    }

    @Test func wakeupsWithAStoreOfNoSize() throws {
        try scratch.makeGroup()
        scratch.overwrite("wakeups", at: WakeupsLayout.mapSizeOffset, with: [UInt8](repeating: 0xFF, count: 8))
        #expect(scratch.openFailure() == .corruptData)
    }

    @Test(arguments: [WakeupsLayout.version - 1, WakeupsLayout.version + 1])
    func groupOfAnotherFormat(_ version: UInt32) throws {
        try scratch.makeGroup()
        scratch.overwrite("wakeups", at: WakeupsLayout.versionOffset, with: [UInt8(version)])
        #expect(scratch.openFailure() == .incompatibleVersion)
    }

    @Test func storeOfGarbage() throws {
        try scratch.makeGroup()
        scratch.overwrite("data.mdb", at: 0, with: [UInt8](repeating: 0xA5, count: 8192))
        #expect(scratch.openFailure() == .corruptData)
    }

    @Test func missingStore() throws {
        try scratch.makeGroup()
        unlink(scratch.group + "/data.mdb")
        #expect(scratch.openFailure() == .corruptData)
    }

    @Test func sharedPartIsResetWhenNobodyUsesIt() throws {
        try scratch.makeGroup()
        let rest = WakeupsLayout.size - WakeupsLayout.writerLockOffset
        scratch.overwrite("wakeups", at: WakeupsLayout.writerLockOffset, with: [UInt8](repeating: 0xFF, count: rest))
        let wormhole = try scratch.open()
        #expect(try wormhole.send("a", 1).sequence == 2)
    }

    @Test func storeOfAnotherBootIsSetAsideUnlessClean() throws {
        try scratch.makeGroup()
        let anotherBoot = [UInt8](repeating: 3, count: 16)
        scratch.overwrite("wakeups", at: WakeupsLayout.bootOffset, with: anotherBoot)
        #expect(try scratch.open().message("kept")?.value == 7)
        scratch.overwrite("wakeups", at: WakeupsLayout.bootOffset, with: anotherBoot)
        scratch.overwrite("wakeups", at: WakeupsLayout.cleanOffset, with: [0])
        #expect(try scratch.open().message("kept") == nil)
        #expect(Scratch.list(scratch.group).contains { $0.hasPrefix("data.mdb.stale-") })
    }

    @Test func leftoverOfAKilledCreatorIsNoHarm() throws {
        mkdir(scratch.group, 0o700)
        for file in ["wakeups.new", "lock.new", "lock.mdb", "data.mdb"] {
            close(creat("\(scratch.group)/\(file)", 0o600))
        }
        try scratch.makeGroup()
        #expect(try scratch.open().message("kept")?.value == 7)
    }
}
