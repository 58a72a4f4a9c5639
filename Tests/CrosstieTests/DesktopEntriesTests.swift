internal import Glibc
import Testing

@testable import Crosstie

@Suite struct DesktopEntriesTests {
    private let scratch = Scratch()

    /// The directories of a user and of the system.
    private var directories: [String] { [scratch.path + "/home", scratch.path + "/system"] }

    private func add(_ path: String, _ text: String = "[Desktop Entry]\nType=Application\n") {
        var directory = scratch.path
        for name in path.split(separator: "/").dropLast() {
            directory += "/" + name
            mkdir(directory, 0o700)
        }
        writeFile("\(scratch.path)/\(path)", Array(text.utf8))
    }

    /// The path that was found, below the test's directory.
    private func find(_ id: String) throws(CrosstieError) -> String? {
        try DesktopEntries.find(id, in: directories).map { String($0.dropFirst(scratch.path.count + 1)) }
    }

    @Test func anIdIsAName() throws {
        add("system/applications/org.example.Notes.desktop")
        add("system/applications/Two Words+é.desktop")
        #expect(try find("org.example.Notes") == "system/applications/org.example.Notes.desktop")
        #expect(try find("org.example.Notes.desktop") == "system/applications/org.example.Notes.desktop")
        #expect(try find("Two Words+é") != nil)
        #expect(try find("org.example.Other") == nil)
    }

    @Test func theUsersComesFirst() throws {
        add("system/applications/a.desktop")
        add("home/applications/a.desktop")
        #expect(try find("a") == "home/applications/a.desktop")
    }

    @Test func dashesAreSubdirectories() throws {
        add("system/applications/kde/deep/a-b.desktop")
        add("system/applications/kde-x.desktop")
        #expect(try find("kde-deep-a-b") == "system/applications/kde/deep/a-b.desktop")
        #expect(try find("kde-x") == "system/applications/kde-x.desktop")
        #expect(try find("kde-deep") == nil && find("kde-deep-a") == nil)
    }

    @Test func nothingLeadsElsewhere() throws {
        add("secret.desktop")
        add("system/secret.desktop")
        add("system/applications/kde/a.desktop")
        for id in ["..-secret", "kde-..-..-secret", "kde-.-a", ".-kde-a"] {
            #expect((try? find(id)) ?? nil == nil, "\(id)")
        }
        mkdir(scratch.path + "/system/applications/directory.desktop", 0o700)
        #expect(try find("directory") == nil)
    }

    @Test(arguments: [
        "", ".desktop", "../secret", "a/b", "/etc/passwd", "-a", "--help", ".a", "a\0b", "a\nb",
        String(repeating: "a", count: 248),
    ]) func whatIsNoIdIsRefused(_ id: String) {
        let error = #expect(throws: CrosstieError.self) { try find(id) }
        #expect(error?.status == .invalidParameter)
    }

    @Test func aHiddenOneIsNotThere() throws {
        add("system/applications/a.desktop")
        add("home/applications/a.desktop", "[Desktop Entry]\nName=a\nHidden = true\n")
        add("home/applications/b.desktop", "[Desktop Entry]\nHidden=false\n[Desktop Action x]\nHidden=true\n")
        #expect(try find("a") == nil)
        #expect(try find("b") != nil)
    }
}
