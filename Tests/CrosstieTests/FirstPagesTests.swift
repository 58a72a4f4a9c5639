internal import Glibc
import Testing

@testable import CrosstieWormhole

/// A commit that was written and never announced is taken back, whatever the size of the pages.
@Suite struct FirstPagesTests {
    let scratch = Scratch()

    private func word(_ file: Int32, at offset: Int) -> UInt64? { FirstPages.word(file, at: UInt64(offset)) }

    /// A file that states a size of pages, and has the numbers of two commits on its first two.
    private func makeFile(statedSize: UInt32, _ numbers: [UInt64], every distance: Int) -> Int32 {
        let file = open(scratch.path + "/data.mdb", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        ftruncate(file, 2 * distance)
        var size = statedSize
        pwrite(file, &size, 4, 40)
        for (page, number) in numbers.enumerated() {
            var number = number
            pwrite(file, &number, 8, page * distance + 144)
        }
        return file
    }

    @Test(arguments: [4096, 16384, 65536])
    func unannouncedCommitIsTakenBack(pageSize: Int) throws {
        let file = makeFile(statedSize: UInt32(pageSize), [8, 7], every: pageSize)
        defer { close(file) }
        try #require(FirstPages(file: file)).withdraw(after: 7)
        #expect(word(file, at: 144) == 6)
        #expect(word(file, at: pageSize + 144) == 7)
    }

    @Test func announcedCommitStays() throws {
        let file = makeFile(statedSize: 4096, [8, 7], every: 4096)
        defer { close(file) }
        try #require(FirstPages(file: file)).withdraw(after: 8)
        #expect(word(file, at: 144) == 8)
    }

    @Test(arguments: [0, 1, 128, 4095, 4097, 131_072, .max] as [UInt32])
    func sizeThatLMDBCannotUseIsRefused(size: UInt32) {
        let file = makeFile(statedSize: size, [8, 7], every: 4096)
        defer { close(file) }
        #expect(FirstPages(file: file) == nil)
    }
}
