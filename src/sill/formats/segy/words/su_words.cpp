// The words of the Seismic Unix trace header after byte 180, where SEG-Y defines other words.
#include "sill/formats/segy/words/word_types.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

using namespace word_types;
using enum WordBlock;
using enum Revision;

// Byte, type, segyio, Seismic Unix, standard, unit, byte of the scalar, text, header, revision, layout, overrides,
// until.
constexpr Word su_table[] = {
    {181, f4, "", "d1", "", "", 0, "sample spacing along the trace", su, none},
    {185, f4, "", "f1", "", "", 0, "first sample's location", su, none},
    {189, f4, "", "d2", "", "", 0, "spacing between traces", su, none},
    {193, f4, "", "f2", "", "", 0, "first trace's location", su, none},
    {197, f4, "", "ungpow", "", "", 0, "negative of the power of a dynamic range compression", su, none},
    {201, f4, "", "unscale", "", "", 0, "reciprocal of the scale to a normal range", su, none},
    {205, i4, "", "ntr", "", "", 0, "number of traces", su, none},
    {209, i2, "", "mark", "", "", 0, "mark of selected traces", su, none},
    {211, i2, "", "shortpad", "", "", 0, "alignment padding", su, none},
};

}  // namespace

std::span<const Word> su_words() { return su_table; }

}  // namespace sill::segy
