/// A look at the extents of a store: whether each has one record, or is free.
struct ExtentAudit {
    private struct Use {
        var isThere = false
        var isFree = false
        var records = 0
    }

    /// By the extent's key.
    private var uses: [[UInt8]: Use] = [:]

    /// Takes the next record, as LMDB has it.
    mutating func take(_ key: UnsafeRawBufferPointer, _ record: UnsafeRawBufferPointer) {
        if key.first == StoreKey.extent {
            uses[Array(key), default: Use()].isThere = true
        } else if let (extent, _) = Extent.free(key) {
            uses[extent.key, default: Use()].isFree = true
        } else if let reference = ExtentReference(record) {
            uses[reference.extent.key, default: Use()].records += 1
        }
    }

    var findings: [StoreFinding] {
        uses.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, use in
            ExtentAudit.fault(use).map { why in key.withUnsafeBytes { StoreFinding($0, why) } }
        }
    }

    private static func fault(_ use: Use) -> String? {
        if !use.isThere { return "is missing" }
        if use.records > 1 { return "has \(use.records) records" }
        if use.isFree { return use.records == 0 ? nil : "is free, and has a record" }
        return use.records == 0 ? "has no record" : nil
    }
}
