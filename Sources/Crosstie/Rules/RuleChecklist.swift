/// The declared parameters of a rule, in one block of plain memory that every open by the rule reads.
struct RuleChecklist: @unchecked Sendable {
    struct Item {
        /// Located behind the items.
        let name: UnsafeRawBufferPointer
        let type: ParameterType
        let isRequired: Bool
    }

    let items: UnsafeMutableBufferPointer<Item>

    init(_ parameters: [RuleParameter]) {
        let names = parameters.map { Array($0.name.utf8) }
        let itemBytes = parameters.count * MemoryLayout<Item>.stride
        let raw = UnsafeMutableRawBufferPointer.allocate(
            byteCount: names.reduce(itemBytes) { $0 + $1.count }, alignment: MemoryLayout<Item>.alignment)
        items = UnsafeMutableRawBufferPointer(rebasing: raw[..<itemBytes]).bindMemory(to: Item.self)
        var start = itemBytes
        for (index, parameter) in parameters.enumerated() {
            let name = UnsafeMutableRawBufferPointer(rebasing: raw[start..<(start + names[index].count)])
            name.copyBytes(from: names[index])
            items.initializeElement(
                at: index,
                to: Item(name: UnsafeRawBufferPointer(name), type: parameter.type, isRequired: parameter.isRequired))
            start += names[index].count
        }
    }

    func free() { UnsafeMutableRawPointer(items.baseAddress)?.deallocate() }
}

extension ParameterType {
    /// Whether a rule's parameter of this type takes a text: whether it has a value.
    func hasValue(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .string, .any: true
        default: accepts(text)
        }
    }
}
