internal import Glibc
import Testing

@testable import Crosstie

@Suite struct PrivateFilesTests {
    private let scratch = Scratch()

    private func mode(_ path: String) -> mode_t {
        var about = stat()
        return stat(path, &about) == 0 ? about.st_mode & 0o7777 : 0
    }

    @Test func nobodyElseReadsThem() throws {
        let files = PrivateFiles(in: scratch.path, areKept: false)
        let path = try files.write([1, 2, 3], named: "a b.bin")
        #expect(readFile(path) == [1, 2, 3] && path.hasSuffix("/a b.bin"))
        #expect(mode(path) == 0o600)
        #expect(mode(String(path.dropLast("/a b.bin".count))) == 0o700)
    }

    @Test func twoOfOneNameAreTwo() throws {
        let files = PrivateFiles(in: scratch.path, areKept: false)
        let (first, second) = (try files.write([1], named: "a"), try files.write([], named: "a"))
        #expect(first != second && readFile(first) == [1] && readFile(second) == [])
        files.remove(first)
        #expect(readFile(first) == nil && readFile(second) == [] && Scratch.list(scratch.path).count == 1)
    }

    @Test func theyGoWithTheirOwnerUnlessKept() throws {
        var files: PrivateFiles? = PrivateFiles(in: scratch.path, areKept: false)
        for _ in 0..<3 { _ = try files?.write([1], named: "a") }
        #expect(Scratch.list(scratch.path).count == 3)
        files = nil
        #expect(Scratch.list(scratch.path) == [])
        files = PrivateFiles(in: scratch.path, areKept: true)
        _ = try files?.write([1], named: "a")
        files = nil
        #expect(Scratch.list(scratch.path).count == 1)
    }

    @Test func failedWritesLeaveNothing() {
        let nowhere = PrivateFiles(in: scratch.path + "/none", areKept: false)
        #expect(#expect(throws: CrosstieError.self) { try nowhere.write([1], named: "a") }?.status == .systemFailure)
        let files = PrivateFiles(in: scratch.path, areKept: false)
        let long = String(repeating: "a", count: 300)
        #expect(#expect(throws: CrosstieError.self) { try files.write([1], named: long) }?.status == .systemFailure)
        #expect(Scratch.list(scratch.path) == [])
    }

    @Test func aFullDiskIsSaid() {
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let error = #expect(throws: CrosstieError.self) { try PrivateFiles.fill(full, with: [1], "full") }
        #expect(error?.status == .noSpace)
    }
}
