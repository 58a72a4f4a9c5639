/// Options of a ``SystemProvider``. Programs are paths, or names to be found on the PATH; an empty text is a default.
public struct SystemProviderOptions: Sendable {
    /// Composes mails, called as `xdg-email` is, the default.
    public var mail = ""
    /// Opens files, called as `xdg-open` is, the default.
    public var opener = ""
    /// Copies the text that it reads. By default `wl-copy` under Wayland, `xclip` or `xsel`.
    public var clipboard = ""
    /// Launches desktop entries, called as `gio`, the default: `launch`, the entry's path, the arguments.
    public var launcher = ""
    /// Where directories for shared files are made; by default in TMPDIR, else in /tmp.
    public var directory = ""
    /// The provider's; by default `system`.
    public var name = ""
    /// Whether shared files stay when the provider goes.
    public var keepsFiles = false

    public init() {}

    /// Bytes of a path, as the system sets it.
    package static var maximumPath: Int { 4096 }

    /// - Throws: *invalidArgument* (a NUL, or a directory that is not absolute), *limitExceeded*.
    func checked() throws(CrosstieError) -> SystemProviderOptions {
        for (text, field) in [
            (mail, "mail"), (opener, "opener"), (clipboard, "clipboard"), (launcher, "launcher"),
            (directory, "directory"),
        ] {
            let location = "options.\(field)"
            guard text.utf8.count <= Self.maximumPath else {
                throw CrosstieError(.limitExceeded, "\(field) is over \(Self.maximumPath) bytes", at: location)
            }
            guard !text.utf8.contains(0) else {
                throw CrosstieError(.invalidArgument, "\(field) holds a NUL", at: location)
            }
        }
        guard directory.isEmpty || directory.utf8.first == UInt8(ascii: "/") else {
            throw CrosstieError(.invalidArgument, "the directory is not an absolute path", at: "options.directory")
        }
        var options = self
        if mail.isEmpty { options.mail = "xdg-email" }
        if opener.isEmpty { options.opener = "xdg-open" }
        if launcher.isEmpty { options.launcher = "gio" }
        if name.isEmpty { options.name = "system" }
        return options
    }
}
