// Short names of word types for the tables of words: kind and number of bytes.
#pragma once

#include "sill/formats/segy/words/word.hpp"

namespace sill::segy::word_types {

inline constexpr WordType a8{WordKind::text, 8};
inline constexpr WordType f4{WordKind::ieee, 4};
inline constexpr WordType f8{WordKind::ieee, 8};
inline constexpr WordType i2{WordKind::signed_integer, 2};
inline constexpr WordType i4{WordKind::signed_integer, 4};
inline constexpr WordType i8{WordKind::signed_integer, 8};
inline constexpr WordType u1{WordKind::unsigned_integer, 1};
inline constexpr WordType u2{WordKind::unsigned_integer, 2};
inline constexpr WordType u4{WordKind::unsigned_integer, 4};
inline constexpr WordType u8{WordKind::unsigned_integer, 8};

}  // namespace sill::segy::word_types
