/// The layout of the file `wakeups`, version 4. Processes map it; it is all that they share beside the store itself.
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
    /// A number that the group got when it was made, and keeps when its files are recreated,
    static var lineageOffset: Int { 72 }
    /// and how many times they have been.
    static var generationOffset: Int { 80 }
    /// The inode of `data.mdb`.
    static var dataFileOffset: Int { 88 }
    /// The limits of messages kept without a consumer: nanoseconds, messages, bytes.
    static var retainAgeOffset: Int { 96 }
    static var retainCountOffset: Int { 104 }
    static var retainSizeOffset: Int { 112 }
    /// After how long messages expire, and for how long they wait, when their senders do not say: milliseconds.
    static var sendExpiryOffset: Int { 120 }
    static var sendDelayOffset: Int { 128 }
    /// The bytes before it belong to the store; the rest does not outlive the processes.
    static var headerSize: Int { 192 }

    /// A writer holds one from before a commit until its sleepers have been woken. The owner of the first one wakes
    /// them after releasing the writers' lock; a writer in between takes the second, and keeps both until the end.
    static var wakeLocksOffset: Int { 192 }
    static var wakeLockStride: Int { 64 }
    static var lastSequenceOffset: Int { 320 }
    static var deathCountOffset: Int { 328 }
    /// The number of the last transaction whose end was noted; ``lastSequenceOffset`` belongs to it.
    static var lastTransactionOffset: Int { 336 }
    /// Raised when the interests in queued messages change.
    static var interestVersionOffset: Int { 344 }
    /// Raised when messages of durable consumers have been freed.
    static var givenBackOffset: Int { 352 }
    /// Raised when a member joins or leaves.
    static var presenceVersionOffset: Int { 360 }
    /// The time of the last look for dead members, in nanoseconds of the monotonic clock.
    static var lookTimeOffset: Int { 368 }
    /// The number of the first message queued since these wakeups were set up; 0 before it.
    static var queuedSinceOffset: Int { 376 }
    /// Slots in use.
    static var liveMaskOffset: Int { 384 }
    /// Those of them whose processes have not yet come over from the files before.
    static var awaitedMaskOffset: Int { 416 }
    /// Slots with a listener on a prefix.
    static var prefixMaskOffset: Int { 448 }
    /// The time when the files were recreated, by the same clock.
    static var moveTimeOffset: Int { 480 }
    /// With which number a group begins that has taken this one in.
    static var moveSequenceOffset: Int { 488 }
    /// The time of the last touch of the files, which keeps them looking used, by the same clock.
    static var touchTimeOffset: Int { 496 }
    /// Slots with a queue listener.
    static var queueMaskOffset: Int { 512 }
    /// Bytes that have been written to the prefix notes.
    static var prefixNotesEndOffset: Int { 544 }
    /// The sequence from which on the prefix notes lack nothing.
    static var prefixNotesBeginOffset: Int { 552 }
    /// Raised whenever a durable consumer may have room for more; see ``Wakeups/notifyRoom()``.
    static var roomOffset: Int { 560 }
    /// Held while the size of the store changes, or while it is mapped.
    static var growthLockOffset: Int { 576 }
    /// Held by the writer.
    static var writerLockOffset: Int { 640 }
    /// The time until which a process that has waited is to have the lock next. On the cache line that a locking
    /// process needs anyway.
    static var urgentOffset: Int { 688 }
    /// Whether the group has moved to other files: see ``Wakeups/MoveState``. In the same line.
    static var movedOffset: Int { 696 }
    /// When the next scheduled message is due. See ``Wakeups/dueTime``.
    static var dueTimeOffset: Int { 1024 }
    /// The timekeeper's slot and 1; 0 for none.
    static var timekeeperOffset: Int { 1032 }
    /// When something that is queued expires. See ``Wakeups/queuedExpiry``.
    static var queuedExpiryOffset: Int { 1040 }
    /// The time of the last look for expired messages, in nanoseconds of the monotonic clock.
    static var expiryLookOffset: Int { 1048 }
    /// The time of the last look for due messages in a host's transport, in nanoseconds of the monotonic clock.
    static var dueLookOffset: Int { 1056 }
    /// When a process last looked through the log for expired messages, likewise.
    static var queueSweepOffset: Int { 1064 }
    /// The bytes that have ever been queued. See ``Wakeups/noteAppended(_:)``.
    static var queuedBytesOffset: Int { 1072 }
    /// Whether the store has extents. See ``Wakeups/extents``.
    static var extentsOffset: Int { 1080 }

    /// The members of the group.
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

    /// For each bucket the position of its newest prefix note, and its sequence.
    static var prefixNoteHeadsOffset: Int { recentChangesOffset + Int(recentChangeCount) * recentChangeStride }
    static var prefixNoteHeadStride: Int { 16 }

    /// Notes of changes below prefixes, with identifiers: a ring buffer of bytes.
    static var prefixNotesOffset: Int { prefixNoteHeadsOffset + bucketCount * prefixNoteHeadStride }
    static var prefixNotesSize: UInt64 { 1 << 18 }

    /// An approximate map of the queued messages. See ``Wakeups/noteQueued(_:hash:)``.
    static var stretchesOffset: Int { prefixNotesOffset + Int(prefixNotesSize) }
    static var stretchCount: UInt64 { 4096 }
    static var stretchStride: Int { 64 }

    static var size: Int { stretchesOffset + Int(stretchCount) * stretchStride }
}
