// Compiles a function for several kinds of processors; one version is chosen when the program starts.
#pragma once

// SILL_FOR_PROCESSORS precedes a function whose loops should be vectorized as widely as the processor allows. All
// versions produce the same bits if the file is compiled with -ffp-contract=off. It has no effect with sanitizers,
// because their code runs before a version can be chosen.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(SILL_SANITIZED)
#define SILL_FOR_PROCESSORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SILL_FOR_PROCESSORS
#endif
