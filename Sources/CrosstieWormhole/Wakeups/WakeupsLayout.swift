/// Where things lie in the file `wakeups`, version 4. Processes map it, and it is all that they share beside
/// the store itself.
enum WakeupsLayout {
    static var magic: UInt64 { 0x4C4C_4542_4549_5443 }  // "CTIEBELL"
    static var version: UInt32 { 4 }

    // The header.
    static var versionOffset: Int { 8 }
    static var flagsOffset: Int { 12 }
    static var mapSizeOffset: Int { 16 }
    static var bootOffset: Int { 24 }
    static var cleanOffset: Int { 40 }
    static var maximumMapSizeOffset: Int { 48 }
    static var queuedCountOffset: Int { 56 }
    static var queuedSizeOffset: Int { 64 }
    /// A number that the group got when it was made, and keeps when its files are made anew,
    static var lineageOffset: Int { 72 }
    /// and how many times they have been.
    static var generationOffset: Int { 80 }
    /// The inode of `data.mdb`.
    static var dataFileOffset: Int { 88 }
    /// What is kept for queues that nobody has yet: nanoseconds, messages, bytes.
    static var retainAgeOffset: Int { 96 }
    static var retainCountOffset: Int { 104 }
    static var retainSizeOffset: Int { 112 }
    /// After how long messages expire, and for how long they wait, when their senders do not say: milliseconds.
    static var sendExpiryOffset: Int { 120 }
    static var sendDelayOffset: Int { 128 }
    /// What comes before it is the store's; nothing of the rest outlives the processes.
    static var headerSize: Int { 192 }

    /// One is held from before a commit until those who sleep have been woken. Who has the first one wakes them
    /// with the writer's lock given back; who writes meanwhile takes the second, and keeps both until the end.
    static var wakeLocksOffset: Int { 192 }
    static var wakeLockStride: Int { 64 }
    static var lastSequenceOffset: Int { 320 }
    static var deathCountOffset: Int { 328 }
    /// The number of the last transaction whose end was noted; ``lastSequenceOffset`` belongs to it.
    static var lastTransactionOffset: Int { 336 }
    /// Raised whenever it changes who wants to have what queued.
    static var interestVersionOffset: Int { 344 }
    /// Raised whenever messages of durable consumers have been given back.
    static var givenBackOffset: Int { 352 }
    /// Raised whenever somebody comes or goes.
    static var presenceVersionOffset: Int { 360 }
    /// When somebody last looked who has died, in nanoseconds of the monotonic clock.
    static var lookTimeOffset: Int { 368 }
    /// The number of the first message that was queued since these bells were set up; 0 before it.
    static var queuedSinceOffset: Int { 376 }
    /// Slots in use.
    static var liveMaskOffset: Int { 384 }
    /// Those of them whose processes have not yet come over from the files before.
    static var awaitedMaskOffset: Int { 416 }
    /// Slots with a listener on a prefix.
    static var prefixMaskOffset: Int { 448 }
    /// When the files were made anew, by the same clock.
    static var moveTimeOffset: Int { 480 }
    /// With which number a group begins that has taken this one in.
    static var moveSequenceOffset: Int { 488 }
    /// When somebody last saw to it that the files look used, by the same clock.
    static var touchTimeOffset: Int { 496 }
    /// Slots with a queue listener.
    static var queueMaskOffset: Int { 512 }
    /// Bytes that have been written to the trail.
    static var trailEndOffset: Int { 544 }
    /// The sequence from which on the trail lacks nothing.
    static var trailBeginOffset: Int { 552 }
    /// Raised whenever a durable consumer may have room for more; see ``Wakeups/notifyRoom()``.
    static var roomOffset: Int { 560 }
    /// Held by whoever changes the size of the store, or maps it.
    static var growthLockOffset: Int { 576 }
    /// Held by whoever writes.
    static var writerLockOffset: Int { 640 }
    /// Until when somebody who has waited for it is to have it next. In the line that who locks will want anyway.
    static var urgentOffset: Int { 688 }
    /// Whether the group has moved to other files: see ``Wakeups/MoveState``. In the same line.
    static var movedOffset: Int { 696 }
    /// When the next scheduled message is due. See ``Wakeups/dueTime``.
    static var dueTimeOffset: Int { 1024 }
    /// Who sees to that: its slot and 1; 0 for nobody.
    static var timekeeperOffset: Int { 1032 }
    /// When something that is queued expires. See ``Wakeups/queuedExpiry``.
    static var queuedExpiryOffset: Int { 1040 }
    /// When somebody last looked what has expired, in nanoseconds of the monotonic clock.
    static var expiryLookOffset: Int { 1048 }
    /// When a process last asked a host's transport what is due, in nanoseconds of the monotonic clock.
    static var dueLookOffset: Int { 1056 }
    /// When a process last looked through the log for what has expired, likewise.
    static var queueSweepOffset: Int { 1064 }
    /// The bytes that have ever been queued. See ``Wakeups/noteAppended(_:)``.
    static var queuedBytesOffset: Int { 1072 }
    /// Whether the store has extents. See ``Bells/extents``.
    static var extentsOffset: Int { 1080 }

    /// Who has the group open.
    static var membersOffset: Int { 4096 }
    static var memberCapacity: Int { 256 }
    static var memberStride: Int { 128 }

    /// The byte of the file on which every process that has it open holds a shared lock.
    static var useByteOffset: Int { membersOffset + memberCapacity * memberStride }

    /// From here on a byte for each number of ``ReaderNumber``, that the process which has it has locked. Behind the
    /// file's end: a lock needs no byte that is there.
    static var readersOffset: Int { 1 << 24 }

    /// A word for each slot, a cache line apart.
    static var wakeupsOffset: Int { membersOffset + memberCapacity * memberStride }
    static var wakeupStride: Int { 64 }

    /// Which slots listen, by hash of identifier or prefix.
    static var bucketsOffset: Int { wakeupsOffset + memberCapacity * wakeupStride }
    static var bucketCount: Int { 1024 }

    /// The last changes: sequence and hash.
    static var recentChangesOffset: Int { bucketsOffset + bucketCount * MemberMask.size }
    static var recentChangeCount: UInt64 { 4096 }
    static var recentChangeStride: Int { 16 }

    /// For each bucket where the newest note of the trail begins, and its sequence.
    static var trailHeadsOffset: Int { recentChangesOffset + Int(recentChangeCount) * recentChangeStride }
    static var trailHeadStride: Int { 16 }

    /// What has changed below prefixes, with identifiers: notes in a ring of bytes.
    static var trailOffset: Int { trailHeadsOffset + bucketCount * trailHeadStride }
    static var trailSize: UInt64 { 1 << 18 }

    /// By and large, what is queued where. See ``Wakeups/noteQueued(_:hash:)``.
    static var stretchesOffset: Int { trailOffset + Int(trailSize) }
    static var stretchCount: UInt64 { 4096 }
    static var stretchStride: Int { 64 }

    static var size: Int { stretchesOffset + Int(stretchCount) * stretchStride }
}
