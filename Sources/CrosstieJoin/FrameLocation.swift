/// The location of a frame's bytes in the memory of a direction.
enum FrameLocation: Equatable {
    case slot(Int)
    case block(Int)
    /// There are none: the frames after this entry come by the socket.
    case socket

    private static var firstBlock: UInt32 { UInt32(SharedLayout.slots) }

    init?(_ code: UInt32) {
        switch code {
        case 0..<FrameLocation.firstBlock: self = .slot(Int(code))
        case FrameLocation.firstBlock..<FrameLocation.firstBlock + UInt32(SharedLayout.blocks):
            self = .block(Int(code - FrameLocation.firstBlock))
        case .max: self = .socket
        default: return nil
        }
    }

    var code: UInt32 {
        switch self {
        case .slot(let index): UInt32(index)
        case .block(let index): FrameLocation.firstBlock + UInt32(index)
        case .socket: .max
        }
    }

    var size: Int {
        switch self {
        case .slot: SharedLayout.slotSize
        case .block(let index): SharedLayout.blockSize(index)
        case .socket: 0
        }
    }

    /// In bytes from the begin of the memory.
    func offset(_ direction: Int) -> Int {
        switch self {
        case .slot(let index): SharedLayout.slot(direction, index)
        case .block(let index): SharedLayout.block(direction, index)
        case .socket: 0
        }
    }
}
