extension ValueRef {
    /// True when both are of one kind with the same content; maps whatever their order; NaN equals nothing.
    package func isEqual(to other: ValueRef) -> Bool {
        let kind = kind
        guard kind == other.kind else { return false }
        switch kind {
        case .null: return true
        case .bool: return bits == other.bits
        case .int: return intValue == other.intValue
        case .double: return doubleValue == other.doubleValue
        case .string, .bytes: return equalBytes(contentBytes, other.contentBytes)
        case .list: return isEqualList(other)
        case .map: return isEqualMap(other)
        case .foreign: return isEqualForeign(other)
        }
    }

    private func isEqualList(_ other: ValueRef) -> Bool {
        guard cellCount == other.cellCount else { return false }
        for (left, right) in zip(items, other.items) where !left.isEqual(to: right) { return false }
        return true
    }

    private func isEqualMap(_ other: ValueRef) -> Bool {
        guard cellCount == other.cellCount else { return false }
        for entry in entries {
            guard let match = other.value(for: key(of: entry)), entry.value.isEqual(to: match) else { return false }
        }
        return true
    }

    private func isEqualForeign(_ other: ValueRef) -> Bool {
        guard let left = foreign, let right = other.foreign else { return false }
        return left == right
    }
}
