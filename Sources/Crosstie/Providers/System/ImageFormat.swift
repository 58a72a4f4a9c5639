/// The format of an image, detected by its first bytes: its media type and the usual extension of its files.
struct ImageFormat {
    let type: String
    let ending: String

    private init(_ type: String, _ ending: String) { (self.type, self.ending) = (type, ending) }

    /// Nil for one that is not known. The signatures are those of https://mimesniff.spec.whatwg.org, section 6.1.
    static func of(_ data: [UInt8]) -> ImageFormat? {
        let start = data.prefix(16)
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            return ImageFormat("image/png", "png")
        }
        if start.starts(with: [0xFF, 0xD8, 0xFF]) { return ImageFormat("image/jpeg", "jpg") }
        if start.starts(with: Array("GIF8".utf8)) { return ImageFormat("image/gif", "gif") }
        if start.starts(with: Array("BM".utf8)) { return ImageFormat("image/bmp", "bmp") }
        let isWebP = start.starts(with: Array("RIFF".utf8)) && start.dropFirst(8).starts(with: Array("WEBP".utf8))
        return isWebP ? ImageFormat("image/webp", "webp") : nil
    }
}
