// The words of the binary file header, SEG-Y revisions 0 to 2.1.
#include "sill/formats/segy/words/word_types.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

using namespace word_types;
using enum WordBlock;
using enum Revision;

// Byte, type, segyio, Seismic Unix, standard, unit, byte of the scalar, text, header, revision, layout, overrides,
// until.
constexpr Word binary_table[] = {
    {3201, i4, "JobID", "jobid", "job_id", "", 0, "job identification number", binary, rev0},
    {3205, i4, "LineNumber", "lino", "line_num", "", 0, "line number", binary, rev0},
    {3209, i4, "ReelNumber", "reno", "reel_num", "", 0, "reel number", binary, rev0},
    {3213, i2, "Traces", "ntrpr", "data_traces_per_ensemble", "", 0, "data traces per ensemble", binary, rev0},
    {3215, i2, "AuxTraces", "nart", "aux_traces_per_ensemble", "", 0, "auxiliary traces per ensemble", binary, rev0},
    {3217, u2, "Interval", "hdt", "sample_interval", "us", 0, "sample interval", binary, rev0},
    {3219, u2, "IntervalOriginal", "dto", "orig_sample_interval", "us", 0, "sample interval of the field recording",
     binary, rev0},
    {3221, u2, "Samples", "hns", "samples_per_trace", "", 0, "samples per trace", binary, rev0},
    {3223, u2, "SamplesOriginal", "nso", "orig_samples_per_trace", "", 0, "samples per trace of the field recording",
     binary, rev0},
    {3225, i2, "Format", "format", "data_sample_format", "", 0, "data sample format code", binary, rev0},
    {3227, i2, "EnsembleFold", "fold", "ensemble_fold", "", 0, "expected number of traces per ensemble", binary, rev0},
    {3229, i2, "SortingCode", "tsort", "trace_sorting_code", "", 0, "trace sorting code", binary, rev0},
    {3231, i2, "VerticalSum", "vscode", "vertical_sum_code", "", 0, "vertical sum code", binary, rev0},
    {3233, i2, "SweepFrequencyStart", "hsfs", "sweep_freq_start", "Hz", 0, "sweep frequency at start", binary, rev0},
    {3235, i2, "SweepFrequencyEnd", "hsfe", "sweep_freq_end", "Hz", 0, "sweep frequency at end", binary, rev0},
    {3237, i2, "SweepLength", "hslen", "sweep_length", "ms", 0, "sweep length", binary, rev0},
    {3239, i2, "Sweep", "hstyp", "sweep_type_code", "", 0, "sweep type code", binary, rev0},
    {3241, i2, "SweepChannel", "schn", "sweep_trace_num", "", 0, "trace number of the sweep channel", binary, rev0},
    {3243, i2, "SweepTaperStart", "hstas", "sweep_taper_start", "ms", 0, "sweep taper length at start", binary, rev0},
    {3245, i2, "SweepTaperEnd", "hstae", "sweep_taper_end", "ms", 0, "sweep taper length at end", binary, rev0},
    {3247, i2, "Taper", "htatyp", "taper_type_code", "", 0, "taper type code", binary, rev0},
    {3249, i2, "CorrelatedTraces", "hcorr", "correlated_data_code", "", 0, "correlated data traces: 1 no, 2 yes",
     binary, rev0},
    {3251, i2, "BinaryGainRecovery", "bgrcv", "binary_gain_code", "", 0, "binary gain recovered: 1 yes, 2 no", binary,
     rev0},
    {3253, i2, "AmplitudeRecovery", "rcvm", "amp_recovery_code", "", 0, "amplitude recovery method", binary, rev0},
    {3255, i2, "MeasurementSystem", "mfeet", "measurement_system_code", "", 0, "measurement system: 1 metres, 2 feet",
     binary, rev0},
    {3257, i2, "ImpulseSignalPolarity", "polyt", "impulse_polarity_code", "", 0, "impulse signal polarity", binary,
     rev0},
    {3259, i2, "VibratoryPolarity", "vpol", "vibratory_polarity_code", "", 0, "vibratory polarity code", binary, rev0},
    {3261, i4, "ExtTraces", "extntrpr", "ext_data_traces_per_ensemble", "", 0,
     "data traces per ensemble; replaces 3213 unless 0", binary, rev2_0, "", 3213},
    {3265, i4, "ExtAuxTraces", "extnart", "ext_aux_traces_per_ensemble", "", 0,
     "auxiliary traces per ensemble; replaces 3215 unless 0", binary, rev2_0, "", 3215},
    {3269, u4, "ExtSamples", "exthns", "ext_samples_per_trace", "", 0, "samples per trace; replaces 3221 unless 0",
     binary, rev2_0, "", 3221},
    {3273, f8, "ExtInterval", "", "ext_sample_interval", "us", 0, "sample interval; replaces 3217 unless 0", binary,
     rev2_0, "", 3217},
    {3281, f8, "ExtIntervalOriginal", "", "ext_orig_sample_interval", "us", 0,
     "sample interval of the field recording; replaces 3219 unless 0", binary, rev2_0, "", 3219},
    {3289, u4, "ExtSamplesOriginal", "extnso", "ext_orig_samples_per_trace", "", 0,
     "samples per trace of the field recording; replaces 3223 unless 0", binary, rev2_0, "", 3223},
    {3293, i4, "ExtEnsembleFold", "extfold", "ext_ensemble_fold", "", 0,
     "expected number of traces per ensemble; replaces 3227 unless 0", binary, rev2_0, "", 3227},
    {3297, i4, "IntConstant", "", "byte_order_constant", "", 0, "16909060 (0x01020304) in the byte order of the file",
     binary, rev2_0, "", 0},
    {3501, u1, "SEGYRevision", "rev", "segy_revision_major", "", 0, "format revision: major number", binary, rev1},
    {3502, u1, "SEGYRevisionMinor", "revmin", "segy_revision_minor", "", 0, "format revision: minor number", binary,
     rev1},
    {3503, i2, "TraceFlag", "trflag", "fixed_length_trace_flag", "", 0, "1: all traces have the same length", binary,
     rev1},
    {3505, i2, "ExtendedHeaders", "exth", "num_extended_text_headers", "", 0,
     "number of extended text headers; -1: variable", binary, rev1},
    {3507, i2, "MaxAdditionalTraceHeaders", "", "max_additional_trace_headers", "", 0,
     "maximum number of additional 240-byte trace headers", binary, rev2_1},
    {3509, i2, "SurveyType", "", "survey_type", "", 0, "survey type", binary, rev2_1},
    {3511, i2, "TimeBasisCode", "", "time_basis_code", "", 0, "time basis: 1 local, 2 GMT, 3 other, 4 UTC, 5 GPS",
     binary, rev2_0},
    {3513, u8, "NrTracesInStream", "", "num_traces_in_file", "", 0, "number of traces in the file; 0: up to its end",
     binary, rev2_0},
    {3521, u8, "FirstTraceOffset", "", "first_trace_byte_offset", "", 0, "bytes before the first trace; 0: not stated",
     binary, rev2_0},
    {3529, i4, "NrTrailerRecords", "", "num_trailer_records", "", 0, "number of trailers after the traces; -1: unknown",
     binary, rev2_0},
};

// Revision 2.0 stores the number of additional trace headers in four bytes. Revision 2.1 uses only the first two of
// them, and stores the survey type in the other two.
constexpr Word former_binary_table[] = {
    {3507, i4, "", "", "max_additional_trace_headers_rev2_0", "", 0,
     "maximum number of additional trace headers, in revision 2.0", binary, rev2_0, "", 0, rev2_1},
};

}  // namespace

std::span<const Word> binary_words() { return binary_table; }

std::span<const Word> former_binary_words() { return former_binary_table; }

}  // namespace sill::segy
