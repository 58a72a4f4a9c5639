/// A directory that lives as long as the group.
final class OpenDirectory {
    let value: GroupDirectory

    init(_ value: consuming GroupDirectory) { self.value = value }
}
