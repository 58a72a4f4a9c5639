/// The text of a `mimeapps.list`, of which only the applications of URL schemes are changed, byte by byte.
struct DefaultApplications {
    private static let header = Array("[Default Applications]".utf8)
    /// The comments above a section, or a whole file, that is removed when nothing else is left in it.
    private static let addedSection = Array("# This section is from 'crosstie scheme install'.\n".utf8)
    private static let addedFile = Array("# This file is from 'crosstie scheme install'.\n".utf8)

    private static let newFile = [addedFile, header + [0x0A]]

    /// With their line ends.
    private var lines: [[UInt8]]

    /// - Parameter bytes: nil for a file that does not exist.
    init(_ bytes: [UInt8]?) {
        lines = (bytes ?? []).linesWithEnds
        if bytes == nil { lines = Self.newFile }
    }

    /// The content; nil if the file is to be removed.
    var bytes: [UInt8]? { lines == Self.newFile || lines == [Self.addedFile] ? nil : Array(lines.joined()) }

    /// The desktop files that a scheme names, in order; the first one that is installed opens its URLs.
    func applications(of scheme: String) -> [String] {
        linesOf(scheme).first.map { Entry(lines[$0])?.items ?? [] } ?? []
    }

    /// Every scheme with an entry.
    var schemes: [String] {
        var seen: Set<String> = []
        return sectionLines.compactMap { Entry(lines[$0])?.scheme }.filter { seen.insert($0).inserted }
    }

    /// Puts an application before the others of a scheme, which stay.
    mutating func prefer(_ id: String, for scheme: String) {
        let found = linesOf(scheme)
        for index in found {
            guard var entry = Entry(lines[index]), entry.items.first != id else { continue }
            entry.insertFirst(id)
            lines[index] = entry.line
        }
        if found.isEmpty { insert("\(DesktopEntry.mimePrefix)\(scheme)=\(id)") }
    }

    /// Removes an application from a scheme.
    mutating func drop(_ id: String, for scheme: String) {
        for index in linesOf(scheme).reversed() {
            guard var entry = Entry(lines[index]), entry.items.contains(id) else { continue }
            entry.remove(id)
            if entry.items.isEmpty { removeLine(index) } else { lines[index] = entry.line }
        }
        removeEmptySection()
    }

    /// Removes an application from all schemes but some.
    mutating func drop(_ id: String, except kept: [String] = []) {
        for scheme in schemes where !kept.contains(scheme) { drop(id, for: scheme) }
    }

    // MARK: - Lines

    /// The indices of the lines in the sections of default applications.
    private var sectionLines: [Int] {
        var isInside = false
        return lines.indices.filter { index in
            if lines[index].first == UInt8(ascii: "[") {
                isInside = lines[index].starts(with: Self.header)
                return false
            }
            return isInside
        }
    }

    private func linesOf(_ scheme: String) -> [Int] { sectionLines.filter { Entry(lines[$0])?.scheme == scheme } }

    private mutating func insert(_ text: String) {
        if let at = lines.firstIndex(where: { $0.starts(with: Self.header) }) {
            // A last line without an end keeps the file's end as it is.
            let isEnded = lines[at].last == 0x0A
            if !isEnded { lines[at].append(0x0A) }
            lines.insert(Array(text.utf8) + (isEnded ? [0x0A] : []), at: at + 1)
        } else {
            let section = [Self.addedSection, Self.header + [0x0A], Array(text.utf8) + [0x0A]]
            lines.insert(contentsOf: lines.isEmpty ? section : section + [[0x0A]], at: 0)
        }
    }

    private mutating func removeLine(_ index: Int) {
        let isEnded = lines[index].last == 0x0A
        lines.remove(at: index)
        if !isEnded, index > 0, lines[index - 1].last == 0x0A { lines[index - 1].removeLast() }
    }

    private mutating func removeEmptySection() {
        guard let at = lines.firstIndex(where: { $0 == Self.addedSection || $0 == Self.addedFile }),
            at + 1 < lines.count, lines[at + 1].starts(with: Self.header)
        else { return }
        let next = at + 2
        guard next == lines.count || lines[next] == [0x0A] || lines[next].first == UInt8(ascii: "[") else { return }
        if lines[at] == Self.addedFile {
            if next == lines.count { lines.remove(at: at + 1) }
            return
        }
        lines.removeSubrange(at..<(next < lines.count && lines[next] == [0x0A] ? next + 1 : next))
    }

    /// A line `x-scheme-handler/app=a.desktop;b.desktop;`.
    private struct Entry {
        let scheme: String
        private let before: [UInt8]
        private var value: [UInt8]
        private let end: [UInt8]

        init?(_ line: [UInt8]) {
            let key = Array(DesktopEntry.mimePrefix.utf8)
            guard line.starts(with: key), let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let last = line.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? equals
            scheme = String(decoding: line[key.count..<max(equals, key.count)], as: UTF8.self).trimmed
            before = Array(line[...equals])
            value = Array(line[(equals + 1)..<(last + 1)])
            end = Array(line[(last + 1)...])
        }

        var line: [UInt8] { before + value + end }

        var items: [String] {
            String(decoding: value, as: UTF8.self).split(separator: ";").map(\.trimmed).filter { !$0.isEmpty }
        }

        mutating func insertFirst(_ id: String) { value = Array("\(id);".utf8) + value }

        mutating func remove(_ id: String) {
            let parts = value.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            let kept = parts.filter { String(decoding: $0, as: UTF8.self).trimmed != id }
            value = Array(kept.joined(separator: [UInt8(ascii: ";")]))
        }
    }
}

extension [UInt8] {
    /// The lines, each with its end.
    var linesWithEnds: [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        for (index, byte) in enumerated() where byte == 0x0A {
            lines.append(Array(self[start...index]))
            start = index + 1
        }
        if start < count { lines.append(Array(self[start...])) }
        return lines
    }
}
