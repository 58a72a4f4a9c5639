/// The author of a change, its time, and its number in the group.
struct Stamp {
    var sequence: UInt64 = 0
    var time: Int64 = 0
    var pid: Int32 = 0
}
