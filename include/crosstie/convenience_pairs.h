/**
 * @file convenience_pairs.h
 * The implementation of CTIE_MAP() (convenience_value.h). It counts its arguments and chooses the first of a chain of
 * macros, one for each pair, because the preprocessor has no loops.
 */
#ifndef CROSSTIE_CONVENIENCE_PAIRS_H
#define CROSSTIE_CONVENIENCE_PAIRS_H

/* The number of pairs by the number of arguments. There is one more choice than arguments, so that the last `...` is never
   empty. */
#define CTIE_CHOICES_ \
    32, UNEVEN, 31, UNEVEN, 30, UNEVEN, 29, UNEVEN, 28, UNEVEN, 27, UNEVEN, 26, UNEVEN, 25, UNEVEN, 24, UNEVEN, \
    23, UNEVEN, 22, UNEVEN, 21, UNEVEN, 20, UNEVEN, 19, UNEVEN, 18, UNEVEN, 17, UNEVEN, 16, UNEVEN, 15, UNEVEN, \
    14, UNEVEN, 13, UNEVEN, 12, UNEVEN, 11, UNEVEN, 10, UNEVEN, 9, UNEVEN, 8, UNEVEN, 7, UNEVEN, 6, UNEVEN, 5, \
    UNEVEN, 4, UNEVEN, 3, UNEVEN, 2, UNEVEN, 1, UNEVEN, UNEVEN

#define CTIE_CHOSEN_( \
    a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, \
    a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, \
    a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, chosen, \
    ...) chosen
#define CTIE_CHOOSE_(...) CTIE_CHOSEN_(__VA_ARGS__)

#define CTIE_PAIRS_(count, ...) CTIE_JOIN_(CTIE_PAIRS_, count)(__VA_ARGS__)
#define CTIE_JOIN_(left, right) CTIE_JOINED_(left, right)
#define CTIE_JOINED_(left, right) left##right
/* A key without a value: the compiler's message shows this name. */
#define CTIE_PAIRS_UNEVEN(...) ctie_map_with_a_key_that_has_no_value

#define CTIE_PAIRS_1(...) CTIE_MAP_OF_(1, CTIE_PAIR_1(__VA_ARGS__))
#define CTIE_PAIRS_2(...) CTIE_MAP_OF_(2, CTIE_PAIR_2(__VA_ARGS__))
#define CTIE_PAIRS_3(...) CTIE_MAP_OF_(3, CTIE_PAIR_3(__VA_ARGS__))
#define CTIE_PAIRS_4(...) CTIE_MAP_OF_(4, CTIE_PAIR_4(__VA_ARGS__))
#define CTIE_PAIRS_5(...) CTIE_MAP_OF_(5, CTIE_PAIR_5(__VA_ARGS__))
#define CTIE_PAIRS_6(...) CTIE_MAP_OF_(6, CTIE_PAIR_6(__VA_ARGS__))
#define CTIE_PAIRS_7(...) CTIE_MAP_OF_(7, CTIE_PAIR_7(__VA_ARGS__))
#define CTIE_PAIRS_8(...) CTIE_MAP_OF_(8, CTIE_PAIR_8(__VA_ARGS__))
#define CTIE_PAIRS_9(...) CTIE_MAP_OF_(9, CTIE_PAIR_9(__VA_ARGS__))
#define CTIE_PAIRS_10(...) CTIE_MAP_OF_(10, CTIE_PAIR_10(__VA_ARGS__))
#define CTIE_PAIRS_11(...) CTIE_MAP_OF_(11, CTIE_PAIR_11(__VA_ARGS__))
#define CTIE_PAIRS_12(...) CTIE_MAP_OF_(12, CTIE_PAIR_12(__VA_ARGS__))
#define CTIE_PAIRS_13(...) CTIE_MAP_OF_(13, CTIE_PAIR_13(__VA_ARGS__))
#define CTIE_PAIRS_14(...) CTIE_MAP_OF_(14, CTIE_PAIR_14(__VA_ARGS__))
#define CTIE_PAIRS_15(...) CTIE_MAP_OF_(15, CTIE_PAIR_15(__VA_ARGS__))
#define CTIE_PAIRS_16(...) CTIE_MAP_OF_(16, CTIE_PAIR_16(__VA_ARGS__))
#define CTIE_PAIRS_17(...) CTIE_MAP_OF_(17, CTIE_PAIR_17(__VA_ARGS__))
#define CTIE_PAIRS_18(...) CTIE_MAP_OF_(18, CTIE_PAIR_18(__VA_ARGS__))
#define CTIE_PAIRS_19(...) CTIE_MAP_OF_(19, CTIE_PAIR_19(__VA_ARGS__))
#define CTIE_PAIRS_20(...) CTIE_MAP_OF_(20, CTIE_PAIR_20(__VA_ARGS__))
#define CTIE_PAIRS_21(...) CTIE_MAP_OF_(21, CTIE_PAIR_21(__VA_ARGS__))
#define CTIE_PAIRS_22(...) CTIE_MAP_OF_(22, CTIE_PAIR_22(__VA_ARGS__))
#define CTIE_PAIRS_23(...) CTIE_MAP_OF_(23, CTIE_PAIR_23(__VA_ARGS__))
#define CTIE_PAIRS_24(...) CTIE_MAP_OF_(24, CTIE_PAIR_24(__VA_ARGS__))
#define CTIE_PAIRS_25(...) CTIE_MAP_OF_(25, CTIE_PAIR_25(__VA_ARGS__))
#define CTIE_PAIRS_26(...) CTIE_MAP_OF_(26, CTIE_PAIR_26(__VA_ARGS__))
#define CTIE_PAIRS_27(...) CTIE_MAP_OF_(27, CTIE_PAIR_27(__VA_ARGS__))
#define CTIE_PAIRS_28(...) CTIE_MAP_OF_(28, CTIE_PAIR_28(__VA_ARGS__))
#define CTIE_PAIRS_29(...) CTIE_MAP_OF_(29, CTIE_PAIR_29(__VA_ARGS__))
#define CTIE_PAIRS_30(...) CTIE_MAP_OF_(30, CTIE_PAIR_30(__VA_ARGS__))
#define CTIE_PAIRS_31(...) CTIE_MAP_OF_(31, CTIE_PAIR_31(__VA_ARGS__))
#define CTIE_PAIRS_32(...) CTIE_MAP_OF_(32, CTIE_PAIR_32(__VA_ARGS__))

#define CTIE_PAIR_1(key, value) ctie_pair_(key, value)
#define CTIE_PAIR_2(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_1(__VA_ARGS__)
#define CTIE_PAIR_3(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_2(__VA_ARGS__)
#define CTIE_PAIR_4(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_3(__VA_ARGS__)
#define CTIE_PAIR_5(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_4(__VA_ARGS__)
#define CTIE_PAIR_6(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_5(__VA_ARGS__)
#define CTIE_PAIR_7(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_6(__VA_ARGS__)
#define CTIE_PAIR_8(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_7(__VA_ARGS__)
#define CTIE_PAIR_9(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_8(__VA_ARGS__)
#define CTIE_PAIR_10(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_9(__VA_ARGS__)
#define CTIE_PAIR_11(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_10(__VA_ARGS__)
#define CTIE_PAIR_12(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_11(__VA_ARGS__)
#define CTIE_PAIR_13(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_12(__VA_ARGS__)
#define CTIE_PAIR_14(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_13(__VA_ARGS__)
#define CTIE_PAIR_15(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_14(__VA_ARGS__)
#define CTIE_PAIR_16(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_15(__VA_ARGS__)
#define CTIE_PAIR_17(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_16(__VA_ARGS__)
#define CTIE_PAIR_18(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_17(__VA_ARGS__)
#define CTIE_PAIR_19(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_18(__VA_ARGS__)
#define CTIE_PAIR_20(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_19(__VA_ARGS__)
#define CTIE_PAIR_21(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_20(__VA_ARGS__)
#define CTIE_PAIR_22(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_21(__VA_ARGS__)
#define CTIE_PAIR_23(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_22(__VA_ARGS__)
#define CTIE_PAIR_24(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_23(__VA_ARGS__)
#define CTIE_PAIR_25(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_24(__VA_ARGS__)
#define CTIE_PAIR_26(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_25(__VA_ARGS__)
#define CTIE_PAIR_27(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_26(__VA_ARGS__)
#define CTIE_PAIR_28(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_27(__VA_ARGS__)
#define CTIE_PAIR_29(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_28(__VA_ARGS__)
#define CTIE_PAIR_30(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_29(__VA_ARGS__)
#define CTIE_PAIR_31(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_30(__VA_ARGS__)
#define CTIE_PAIR_32(key, value, ...) ctie_pair_(key, value), CTIE_PAIR_31(__VA_ARGS__)

#endif
