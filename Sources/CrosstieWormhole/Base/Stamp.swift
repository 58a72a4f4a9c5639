/// Who changed an identifier, when, and which change of the group it was.
struct Stamp {
    var sequence: UInt64 = 0
    var time: Int64 = 0
    var pid: Int32 = 0
}
