/// The kind of object that a handle refers to. The kind is part of the handle, so that one kind never passes for
/// another.
package enum HandleKind: UInt {
    case bus = 1
    case registration = 2
    case request = 3
    case response = 4
    case call = 5
    case wormhole = 6
    case listener = 7
    case loop = 8
    case join = 9
    case instance = 10
}
