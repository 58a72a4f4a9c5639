/// The layout of the memory that two joined buses share (docs/join-format.md; numbers in FrameTable.swift). Offsets are in
/// bytes.
enum SharedLayout {
    static var blocks: Int { smallBlocks + largeBlocks }
    static var versionOffset: Int { 8 }

    // Of a direction's data.
    private static var answerData: Int { slots * slotSize }
    private static var smallData: Int { 2 * slots * slotSize }
    private static var largeData: Int { smallData + smallBlocks * smallBlockSize }
    private static var dataSize: Int { largeData + largeBlocks * largeBlockSize }

    /// No multiple of any size of huge pages, so that no file of those can have it.
    static var size: Int { 3 * pageSize + 2 * dataSize }

    static func control(_ direction: Int) -> Int { (1 + direction) * pageSize }

    private static func data(_ direction: Int) -> Int { 3 * pageSize + direction * dataSize }

    static func slot(_ direction: Int, _ index: Int) -> Int { data(direction) + index * slotSize }

    static func answer(_ direction: Int, _ index: Int) -> Int { data(direction) + answerData + index * slotSize }

    static func block(_ direction: Int, _ index: Int) -> Int {
        index < smallBlocks
            ? data(direction) + smallData + index * smallBlockSize
            : data(direction) + largeData + (index - smallBlocks) * largeBlockSize
    }

    static func blockSize(_ index: Int) -> Int { index < smallBlocks ? smallBlockSize : largeBlockSize }
}
