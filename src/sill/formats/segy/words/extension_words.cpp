// The words of trace header extension 1, the first additional trace header of SEG-Y revision 2.
#include "sill/formats/segy/words/word_types.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

using namespace word_types;
using enum WordBlock;
using enum Revision;

// Byte, type, segyio, Seismic Unix, standard, unit, byte of the scalar, text, header, revision, layout, overrides,
// until.
constexpr Word extension_table[] = {
    {1, u8, "SEG00001.linetrc", "", "ext_trace_seq_num_line", "", 0, "trace sequence number within the line",
     extension1, rev2_0, "linetrc", 1},
    {9, u8, "SEG00001.reeltrc", "", "ext_trace_seq_num_file", "", 0, "trace sequence number within the file",
     extension1, rev2_0, "reeltrc", 5},
    {17, i8, "SEG00001.ffid", "", "ext_orig_field_record_num", "", 0, "original field record number", extension1,
     rev2_0, "ffid", 9},
    {25, i8, "SEG00001.cdp", "", "ext_ensemble_num", "", 0, "ensemble number (CDP, CMP, CRP)", extension1, rev2_0,
     "cdp", 21},
    {33, f8, "SEG00001.relev", "", "ext_receiver_group_elevation", "m or ft", 0, "receiver group elevation", extension1,
     rev2_0, "relev", 41},
    {41, f8, "SEG00001.rdepth", "", "ext_receiver_group_depth", "m or ft", 0, "receiver group depth below the surface",
     extension1, rev2_0, "rdepth", 0},
    {49, f8, "SEG00001.selev", "", "ext_source_surface_elevation", "m or ft", 0, "surface elevation at the source",
     extension1, rev2_0, "selev", 45},
    {57, f8, "SEG00001.sdepth", "", "ext_source_depth_below_surface", "m or ft", 0, "source depth below the surface",
     extension1, rev2_0, "sdepth", 49},
    {65, f8, "SEG00001.rdatum", "", "ext_receiver_datum_elevation", "m or ft", 0,
     "datum elevation at the receiver group", extension1, rev2_0, "rdatum", 53},
    {73, f8, "SEG00001.sdatum", "", "ext_source_datum_elevation", "m or ft", 0, "datum elevation at the source",
     extension1, rev2_0, "sdatum", 57},
    {81, f8, "SEG00001.wdepthso", "", "ext_source_water_depth", "m or ft", 0, "water depth at the source", extension1,
     rev2_0, "wdepthso", 61},
    {89, f8, "SEG00001.wdepthrc", "", "ext_receiver_water_depth", "m or ft", 0, "water depth at the receiver group",
     extension1, rev2_0, "wdepthrc", 65},
    {97, f8, "SEG00001.sht_x", "", "ext_source_coord_x", "by bytes 89-90", 0, "source coordinate x", extension1, rev2_0,
     "sht_x", 73},
    {105, f8, "SEG00001.sht_y", "", "ext_source_coord_y", "by bytes 89-90", 0, "source coordinate y", extension1,
     rev2_0, "sht_y", 77},
    {113, f8, "SEG00001.rec_x", "", "ext_group_coord_x", "by bytes 89-90", 0, "receiver group coordinate x", extension1,
     rev2_0, "rec_x", 81},
    {121, f8, "SEG00001.rec_y", "", "ext_group_coord_y", "by bytes 89-90", 0, "receiver group coordinate y", extension1,
     rev2_0, "rec_y", 85},
    {129, f8, "SEG00001.offset", "", "ext_source_to_receiver_distance", "m or ft", 0,
     "distance from source to receiver group", extension1, rev2_0, "offset", 37},
    {137, u4, "SEG00001.nsamps", "", "ext_samples_per_trace", "", 0, "number of samples in this trace", extension1,
     rev2_0, "nsamps", 115},
    {141, i4, "SEG00001.nanosecs", "", "ext_nanoseconds", "ns", 0, "nanoseconds to add to the second of the minute",
     extension1, rev2_0, "nanosecs", 0},
    {145, f8, "SEG00001.dt", "", "ext_sample_interval", "us", 0, "sample interval of this trace", extension1, rev2_0,
     "dt", 117},
    {153, i4, "SEG00001.cable_num", "", "ext_cable_num", "", 0, "cable number, or recording device", extension1, rev2_0,
     "cable_num", 0},
    {157, u2, "", "", "ext_num_additional_headers", "", 0, "additional headers of this trace, this one included",
     extension1, rev2_0, "", 0},
    {159, i2, "SEG00001.last_trc", "", "ext_last_trace_flag", "", 0, "last trace flag", extension1, rev2_0, "last_trc",
     0},
    {161, f8, "SEG00001.cdp_x", "", "ext_cdp_x", "by bytes 89-90", 0, "ensemble coordinate x", extension1, rev2_0,
     "cdp_x", 181},
    {169, f8, "SEG00001.cdp_y", "", "ext_cdp_y", "by bytes 89-90", 0, "ensemble coordinate y", extension1, rev2_0,
     "cdp_y", 185},
    {233, a8, "SEG00001.header_name", "", "ext_trace_header_name", "", 0, "name of the header, SEG00001", extension1,
     rev2_0, "header_name", 0},
};

}  // namespace

std::span<const Word> extension_words() { return extension_table; }

}  // namespace sill::segy
