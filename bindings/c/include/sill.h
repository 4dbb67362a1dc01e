/* Sill for programs in C, and for languages that call C: output of simulations, SEG-Y and Seismic Unix files, by all
   ranks of an MPI communicator together.

   Every function returns a status: SILL_OK, or the code of an error, whose text sill_last_error() then gives. The first
   word of its description is
     Collective  all ranks of the session's communicator call it, in the same order; whether it ends well or with an
                 error, it is the same on all of them;
     Local       it sends nothing.
   A handle or a result pointer that is NULL is a usage error of the rank that passes it, and nothing is sent: like
   calling MPI on MPI_COMM_NULL, the other ranks wait where the call is Collective. Other arguments that are wrong on
   some ranks only are an error on all.

   Ranks count from 0, as in MPI; so do stations, components, points, traces and files. Sizes are int64_t.
   A function that makes a handle sets it to NULL if it fails. close and finish are Collective and free the handle
   whether they succeed or not; free is Local, leaves what is unfinished unfinished, and takes a handle that is NULL.
   Both set it to NULL. A session may be freed before what was opened in it.

   Only the thread that opened a session uses it and what was opened in it, but where a function says that several
   threads may call it. */
#ifndef SILL_H
#define SILL_H

#include "sill_config.h"

#if SILL_HAS_MPI
/* The C++ bindings that MPI dropped are not wanted. */
#ifdef __cplusplus
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#endif
#include <mpi.h>
#endif
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---- */

enum {
  SILL_OK = 0,
  SILL_USAGE = 2, /* a call or an argument is wrong */
  SILL_INPUT = 3, /* a file is damaged, unknown or not supported */
  SILL_IO = 4     /* the system refused: missing file, no permission, full disk, no memory, MPI */
};

/* Local. What went wrong in the last call of this thread that failed: what, where, which rank, what to do; several
   lines without a newline at the end. Empty if none has failed. It is valid until the next call of this thread fails.
   Never NULL. */
const char *sill_last_error(void);

/* Local. Returns the errno of that failure, such as ENOSPC for a full disk, EDQUOT for a used-up quota, EIO for a disk
   that failed, ENOMEM; after a Collective call it is that of the rank at fault, on all ranks. 0 if none has failed, or
   if the failure has no errno: wrong use, a damaged file, an error of MPI that names no cause. It is valid as long as
   the text. It has no errors. */
int sill_last_errno(void);

/* Local. The version of the library, "0.1.0". */
const char *sill_version(void);

/* ---- sessions: a communicator, how its files are written, and what that cost ---- */

typedef struct sill_session sill_session;

/* Settings of a session, the same on all ranks (docs/options.md). What is left out is 0 or NULL. */
typedef struct sill_options {
  const char *policies; /* who moves bytes and how (docs/policies.md): "elected,async=2", or by output:
                           "stations:staged; surfaces:stage=4M". NULL: "direct" */
  int64_t memory_bytes; /* of each rank for buffers; 0: a quarter of what it may use, shared by the ranks of the node */
  int threads;          /* of each rank where the policy does not say; 0: the cores it has */
  const char *report;   /* the file that sill_session_finish writes: tables if it ends with .txt, a page if
                           with .html, else JSON; NULL: none */
  const char *file;     /* a TOML file whose settings count before these; NULL: none */
  int no_environment;   /* 0: SILL_OPTIONS and SILL_POLICY of rank 0 count before all others; 1: they do not */
} sill_options;

#if SILL_HAS_MPI
/* Collective over `comm`, which is duplicated, so that messages of Sill and of the program never mix. MPI is neither
   initialized nor finalized; it must stay initialized, with thread level MPI_THREAD_FUNNELED or more, as long as the
   session or anything opened in it exists. `options` may be NULL: those of the environment alone. Nothing of it is
   needed afterwards. Errors: usage if MPI is not initialized or has ended (on this rank alone), if `comm` is no
   communicator of ranks, if options are invalid or not the same on all ranks; io for their file, the report, or if MPI
   fails. */
int sill_session_open(MPI_Comm comm, const sill_options *options, sill_session **session);
/* Collective. The same for a communicator of Fortran, an INTEGER; messages of the session and of what is opened in it
   count from 1. `session` is NULL where the variable is open already: an error on all ranks. */
int sill_session_open_f(MPI_Fint comm, const sill_options *options, sill_session **session);
#endif
/* Local. Opens a session of this process alone: its Collective calls are of one rank. MPI need not be initialized, and
   a Sill that was built without MPI has this function only. Errors: as sill_session_open, for `options` and their
   file. */
int sill_session_open_alone(const sill_options *options, sill_session **session);
enum { SILL_JSON = 0, SILL_TABLE = 1 };
/* Collective. What all outputs cost so far (docs/io-report.md), as JSON or as tables: `*text` is the same on all ranks
   and valid until the next report or the end of the session. Errors: usage for another form; io if MPI fails. */
int sill_session_report(sill_session *session, int form, const char **text);
/* Collective. Writes the report, if a file is named. To be called when all that was opened in the session is closed.
   Errors: io. */
int sill_session_finish(sill_session **session);
/* Local. Frees the session without writing its report. */
int sill_session_free(sill_session **session);

/* ---- stations: what receivers record, in output phases of several steps ---- */

/* The files. Samples of all but text are 4-byte floats. */
enum {
  SILL_STATIONS_TEXT = 0, /* text as of Ondes3D, a file a station: obs1.dat, … */
  SILL_STATIONS_SAC = 1,  /* a file for each component of a station, obs1.vx.sac, …; the position in USER0 to USER2 */
  SILL_STATIONS_SEGY = 2, /* one file, stations.sgy: a shot gather; cdp is the station, cdpt the component from 1 */
  SILL_STATIONS_SU = 3,   /* the same in Seismic Unix, stations.su */
  SILL_STATIONS_MINISEED = 4 /* one file, stations.mseed, network XX */
};

typedef struct sill_stations sill_stations;

typedef struct sill_station {
  int number;           /* as the file states it; the file's name counts by itself, from 1 */
  double position_m[3]; /* x, y, z */
} sill_station;

/* The same on all ranks. What is left out is 0 or NULL. */
typedef struct sill_station_output {
  const char *folder;          /* of the files; made if it is not there */
  int64_t stations;            /* how many there are */
  const sill_station *station; /* each of them */
  int components;              /* of each station; of Ondes3D 9: vx vy vz txx tyy tzz txy txz tyz */
  const int *owners;           /* the rank that has component c of station s: owners[s * components + c] */
  double interval_s;           /* from one time step to the next */
  int64_t final_steps;         /* how many steps there can be */
  int64_t steps_per_phase;     /* after how many steps an output phase begins, 1 or more */
  int count_grows;             /* of text: 0: the header keeps its size; 1: it grows with the number of steps, as
                                  Ondes3D does */
  int form;                    /* SILL_STATIONS_TEXT, … */
  const char *component_names; /* of SAC files, "vx,vy,vz", at most 8 characters each, and miniSEED, at most 3; NULL:
                                  those of Ondes3D for nine components, else "1,2,…" */
  int shot;                    /* of SEG-Y and Seismic Unix: its number */
  const double *source_m;      /* and the place of its source, 3 numbers in m; NULL: not known */
  int64_t start_us;            /* of miniSEED: when the first sample was, in microseconds since 1970, UTC */
  int64_t continues_after;     /* how many steps of an earlier run the files keep, which this run continues, on any
                                  number of ranks; 0: it begins new files */
} sill_station_output;

/* Collective. Files of an earlier run are removed, and new ones appear with the first phase; or they keep their first
   steps (continues_after), and what is behind these is cut off. Nothing of `output` is needed
   afterwards. Errors: usage if it is not the same on all ranks, if owners are no ranks, if a number must be positive
   and is not, for names that do not fit; input if the files to be continued have other stations or fewer steps; io,
   also if another run writes stations into the folder: until it closes them, or ends, no other run begins there. */
int sill_stations_open(sill_session *session, const sill_station_output *output, sill_stations **stations);
/* Local. What this rank brings each step, in this order: by station, then component. Fills the first `most` elements of
   `station` and `component`, which may be NULL; `*count` returns how many there are. */
int sill_stations_owned(const sill_stations *stations, int64_t most, int64_t *station, int *component, int64_t *count);
/* Local. Keeps the values of a time step, `count` of them, in the order of sill_stations_owned; the array may change
   afterwards. What is wrong (another number of values, NULL among them, one beyond the range of floats where the files
   have these, too many steps) is returned by the next Collective call, on all ranks. */
int sill_stations_record(sill_stations *stations, const double *values, int64_t count);
/* Collective. sill_stations_record, and sill_stations_flush when the steps of a phase are kept; only then do ranks
   talk. Errors: as sill_stations_flush. */
int sill_stations_write_step(sill_stations *stations, const double *values, int64_t count);
/* Collective. An output phase: what is kept goes to the files, and then their headers count it. Errors: usage for what
   sill_stations_record noticed, or if ranks recorded different numbers of steps; io. Earlier phases stay readable;
   further calls give the same error. */
int sill_stations_flush(sill_stations *stations);
/* Local. Time steps that phases were begun for; output phases so far; bytes of all files, of the phases so far. */
int sill_stations_steps(const sill_stations *stations, int64_t *steps);
int sill_stations_phases(const sill_stations *stations, int64_t *phases);
int sill_stations_file_bytes(const sill_stations *stations, int64_t *bytes);
/* Collective. sill_stations_flush, and the files are closed. Errors: as sill_stations_flush. */
int sill_stations_close(sill_stations **stations);
/* Local. Steps that were not flushed are lost. */
int sill_stations_free(sill_stations **stations);

/* ---- grids that are distributed to ranks ---- */

/* What a rank has of a grid of points. Dimensions are x, y, z. */
typedef struct sill_grid {
  int64_t shape[3];        /* points of the whole grid, the same on all ranks */
  int64_t first[3];        /* the box of points that this rank writes; each point is one rank's. May be empty */
  int64_t count[3];        /* its points in each dimension */
  int64_t stored_first[3]; /* the box that its arrays hold: those, and any ghost points, also beyond the grid */
  int64_t stored_count[3]; /* all 0: they hold the points it writes, and no others */
} sill_grid;

/* Which index varies fastest in the arrays of a rank. */
enum {
  SILL_Z_FASTEST = 0, /* array[x][y][z] in C */
  SILL_X_FASTEST = 1  /* array[z][y][x] in C, array(x, y, z) in Fortran */
};

/* Whose memory a phase works from while it is under way (async in the policy). Any other number is SILL_COPIED. */
enum {
  SILL_COPIED = 0, /* arrays are the caller's again when the call returns */
  SILL_LENT = 1    /* they stay as they are until wait or close: nothing need be copied */
};

/* ---- surfaces: planes of a distributed grid, a VTK file each ---- */

typedef struct sill_surfaces sill_surfaces;

/* The same on all ranks. */
typedef struct sill_surface_options {
  const char *prefix;      /* put before the files' names as it is; of a folder it ends with a slash. NULL: nothing */
  const int64_t *xy_at_z;  /* the plane at this index; NULL: none. One plane at least */
  const int64_t *xz_at_y;  /* the same */
  const int64_t *yz_at_x;  /* the same */
  int64_t first_plane_row; /* the first z index of the xz and yz planes, */
  int64_t plane_rows;      /* and how many they hold; 0: all from there to the last */
  double origin[3];        /* of point (0, 0, 0), in m */
  double spacing[3];       /* of the points, in m, above 0 */
  int displacement;        /* 1: each phase brings displacement beside velocity */
  int order;               /* of the arrays: SILL_Z_FASTEST or SILL_X_FASTEST */
  int64_t continues_after; /* the step after which an earlier run is continued: files of later steps are removed;
                              0: a new run */
} sill_surface_options;

/* Collective. Any decomposition into boxes will do. Errors: usage if ranks were given different grids or options, if a
   box does not lie where it must, if there is no plane or it lies beyond the grid, if the points of a plane are not all
   some rank's, or for an origin or a spacing that the format cannot hold; io if the folder of the files is not there
   or cannot be written to. */
int sill_surfaces_open(sill_session *session, const sill_grid *grid, const sill_surface_options *options,
                       sill_surfaces **surfaces);
/* Collective. Writes the planes as they are at step `step`, which goes into the files' names: a file a plane, twice as
   many with displacement. The arrays hold `points` values each, one for each stored point: velocity along x, y, z, then
   displacement, NULL where none was announced or there are no points. With SILL_COPIED they are the caller's again when
   it returns, with SILL_LENT after sill_surfaces_wait or close. With async=k in the policy at most k phases are
   unfinished then; an error of one before is returned by the call of a later one, which is written all the same.
   Errors: usage if the number of values of an array is not that of the points the rank stores, if displacement is
   missing or was not announced, if the step differs between ranks or is below 0, if two ranks hold the same point of a
   plane; io. Files of phases that were finished stay as they are. */
int sill_surfaces_write_phase(sill_surfaces *surfaces, int64_t step, int64_t points, const float *vx, const float *vy,
                              const float *vz, const float *dx, const float *dy, const float *dz, int memory);
/* Collective. Finishes all phases begun so far: lent arrays are the caller's again. Errors: as
   sill_surfaces_write_phase: the first, once the others are finished too. */
int sill_surfaces_wait(sill_surfaces *surfaces);
/* Local. The bytes of the files of one phase. */
int sill_surfaces_phase_bytes(const sill_surfaces *surfaces, int64_t *bytes);
/* Collective. Finishes all phases. Errors: as sill_surfaces_write_phase: the first, once the others are finished too.
 */
int sill_surfaces_close(sill_surfaces **surfaces);
/* Local. Phases that were not finished may be lost. */
int sill_surfaces_free(sill_surfaces **surfaces);

/* ---- records: texts of results that come in any order, compressed into one file with an index ---- */

typedef struct sill_records sill_records;

/* The same on all ranks. What is left out is 0 or NULL. */
typedef struct sill_records_options {
  const char *codec;   /* "none", "zstd" or "bgzf" (gzip -d reads it); NULL: zstd */
  int level;           /* of zstd 1 to 19, of bgzf 1 to 12; 0: 3 */
  int64_t frame_bytes; /* of records that are compressed together; 0: 1 MiB. Of bgzf always 65,280 */
  int64_t files;       /* each of a range of ids: NAME.0.END, ...; 0: one. More than one need ids */
  int64_t ids;         /* how many there will be, from 0 on; 0: not said */
  int replaces;        /* 1: existing files are replaced; 0: they are an error */
} sill_records_options;

/* Collective. `options` NULL: as if all were left out. Errors: usage for options that are invalid or differ between
   ranks, and if files exist already; io, also if another run writes them. */
int sill_records_open(sill_session *session, const char *path, const sill_records_options *options,
                      sill_records **records);
/* Local. Takes a copy of `size` bytes as record `id`. Ranks bring records in any order, each once. Errors: usage for an
   id below 0, not below ids, or that this rank brought already. */
int sill_records_put(sill_records *records, int64_t id, const void *bytes, int64_t size);
/* Collective. Compresses and writes the records from id 0 on that have come without a gap, as far as they fill frames;
   the others wait in memory. Errors: usage if two ranks brought the same id; io. */
int sill_records_write(sill_records *records);
/* Collective. Writes all records that are left, and ends the files. Errors: as sill_records_write. */
int sill_records_close(sill_records **records);
/* Local. Records that were not written are lost. */
int sill_records_free(sill_records **records);

/* ---- volumes: every few points of a distributed grid, several samples in time a file ---- */

typedef struct sill_volumes sill_volumes;

/* Where the grid has its surface: files begin there. */
enum { SILL_SURFACE_AT_FIRST_Z = 0, SILL_SURFACE_AT_LAST_Z = 1 };

/* The same on all ranks. In AWP-ODC's words: NBG - 1, NED - 1 and NSKP of x, y and z; NTISKP; WRITE_STEP. */
typedef struct sill_volume_options {
  const char *prefix;       /* put before the files' names as it is; of a folder it ends with a slash. NULL: nothing */
  const char *components;   /* which of "XYZ" have files; NULL: all three */
  int64_t kept_first[3];    /* the points that are kept in x, y and z (z from the surface down): from this one, */
  int64_t kept_last[3];     /* to this one at most; -1: to the last of the grid; */
  int64_t kept_skip[3];     /* 1: each of them, 2: every second, and so on; as many as there are: the first alone */
  int64_t steps_per_sample; /* a sample at each step that is a multiple of this, 1 or more */
  int64_t samples_per_file; /* files end at steps that are multiples of both, 1 or more */
  int64_t first_step;       /* of the first call of sill_volumes_write_step, 0 or more */
  int order;                /* of the arrays: SILL_Z_FASTEST or SILL_X_FASTEST */
  int surface;              /* SILL_SURFACE_AT_FIRST_Z or SILL_SURFACE_AT_LAST_Z (AWP-ODC) */
  int64_t continues_after;  /* the step after which an earlier run is continued, on any number of ranks; the first call
                               is then of the next step. Files of later steps are removed, and samples of a batch that
                               was unfinished are read from the file that sill_volumes_close wrote of them; 0: a new
                               run */
} sill_volume_options;

/* Collective. Any decomposition into boxes will do. Errors: usage if ranks were given different grids or options, if a
   box does not lie where it must, if the points to be kept are not in the grid or not all some rank's, or for
   components, steps or samples that make no file; input if samples of a run to be continued are in no file; io if
   the folder of the files is not there or cannot be written to, or if there is no memory for the samples of any rank.
 */
int sill_volumes_open(sill_session *session, const sill_grid *grid, const sill_volume_options *options,
                      sill_volumes **volumes);
/* Collective. Called once a time step, steps following one another. The arrays hold `points` values each, one for each
   stored point: components x, y, z; those without files may be NULL, and none is looked at where nothing is sampled.
   Ranks talk only where a batch of samples is full; it is written then, and what was wrong on any rank since the last
   batch is returned. With SILL_COPIED the arrays are the caller's again when it returns, with SILL_LENT after
   sill_volumes_wait or close. With async=k in the policy at most k batches are unfinished then; an error of one before
   is returned where a later one is begun, which is written all the same. Errors: usage if an array has not as many
   values as the rank stores points, if the step is not the next one, if ranks took different numbers of samples, or if
   two ranks hold the same kept point; io. */
int sill_volumes_write_step(sill_volumes *volumes, int64_t step, int64_t points, const float *x, const float *y,
                            const float *z, int memory);
/* Collective. Finishes all batches that were begun: lent arrays are the caller's again. Errors: as
   sill_volumes_write_step: the first, once the others are finished too. */
int sill_volumes_wait(sill_volumes *volumes);
/* Local. The memory for kept samples of this rank; the bytes of the files of one full batch; batches begun so far. */
int sill_volumes_kept_bytes(const sill_volumes *volumes, int64_t *bytes);
int sill_volumes_batch_bytes(const sill_volumes *volumes, int64_t *bytes);
int sill_volumes_batches(const sill_volumes *volumes, int64_t *batches);
/* Collective. Writes the last batch with the samples it has, and finishes all. Errors: as sill_volumes_wait. */
int sill_volumes_close(sill_volumes **volumes);
/* Local. What was not finished may be lost. */
int sill_volumes_free(sill_volumes **volumes);

/* ---- local solutions: what each local problem of a multiscale simulation computed, as text, phase by phase ---- */

typedef struct sill_solutions sill_solutions;

/* Who has a file of its own in each phase: every local problem, or the phase. */
enum { SILL_EACH = 0, SILL_SHARED = 1 };

/* The same on all ranks but for my_problems. */
typedef struct sill_solution_output {
  const char *folder;        /* of all files; made if it is not there */
  int64_t my_problems;       /* of this rank; those of rank 0 come first, then those of rank 1, and so on */
  int64_t sub_elements;      /* parts of an edge of a problem's triangle; it has (s + 1)(s + 2) / 2 points */
  int dimensions;            /* values per point */
  int record_bytes;          /* 13; 14: every double has room */
  int files;                 /* SILL_EACH or SILL_SHARED */
  int64_t chunk_align_bytes; /* chunks of a shared file begin at multiples of so many bytes; 0: they lie packed */
  int align_to_stripes;      /* 1: at multiples of the stripes that the file system reports for the folder */
} sill_solution_output;

/* Collective. Makes the folder and, with SILL_EACH, those of the problems; what an earlier run left there is complete
   no more, and its descriptions of the problems are removed. Errors: usage if ranks were given different outputs, or
   one that cannot be; io, also if another run has the folder. */
int sill_solutions_open(sill_session *session, const sill_solution_output *output, sill_solutions **solutions);
/* Local. The problems that this rank has, counted through all ranks: from `*first` on `*count`. */
int sill_solutions_problems(const sill_solutions *solutions, int64_t *first, int64_t *count);
/* Collective. Writes once what is to be known of each problem beside its solutions: `corners` of the triangles of this
   rank's problems, x, y, z of A, then of B, of C, nine numbers each, `elements` triangles; `parameters`, any text, of
   rank 0; NULL: none. Errors: usage if a triangle is missing, or its coordinates are no numbers below 1e98; io. */
int sill_solutions_write_problem_files(sill_solutions *solutions, const double *corners, int64_t elements,
                                       const char *parameters);
/* Collective. Writes the solutions as they are at output step `step`, which grows from call to call. `values`, `count`
   of them: problem after problem, in each point after point, all dimensions of a point together. With SILL_COPIED they
   are the caller's again when it returns, with SILL_LENT after sill_solutions_wait or close. With async=k in the policy
   at most k phases are unfinished then, and their text is made behind the computation, but for what other ranks write;
   an error of one before is returned by the call of a later one, which is written all the same. Errors: usage for
   another number of values, for a number that is too long for its record, if the step differs between ranks or is not
   above those before: nothing is written then; io. Phases that were finished stay as they are. */
int sill_solutions_write_phase(sill_solutions *solutions, int64_t step, const double *values, int64_t count,
                               int memory);
/* Collective. Finishes all phases begun so far: they have their indexes, and lent values are the caller's again.
   Errors: as sill_solutions_write_phase: the first, once the others are finished too. */
int sill_solutions_wait(sill_solutions *solutions);
/* Local. The bytes of the solution files of one phase. */
int sill_solutions_phase_bytes(const sill_solutions *solutions, int64_t *bytes);
/* Collective. Finishes all phases. Errors: as sill_solutions_write_phase: the first, once the others are finished. */
int sill_solutions_close(sill_solutions **solutions);
/* Local. Phases that were not finished may be lost. */
int sill_solutions_free(sill_solutions **solutions);

/* ---- arrays: any distributed arrays in netCDF files, or files of VTK or raw bytes, step by step ---- */

/* A dataset that is written, and one that is read. Both first take what a rank brings or wants, by sill_dataset_put and
   sill_dataset_reader_get, then move it by one collective call. */
typedef struct sill_dataset sill_dataset;
typedef struct sill_dataset_reader sill_dataset_reader;

/* The types of elements, in memory and in files: integers with and without sign and floats of so many bytes. */
enum {
  SILL_I1 = 0,
  SILL_I2 = 1,
  SILL_I4 = 2,
  SILL_I8 = 3,
  SILL_U1 = 4,
  SILL_U2 = 5,
  SILL_U4 = 6,
  SILL_U8 = 7,
  SILL_F4 = 8,
  SILL_F8 = 9,
  SILL_CHARACTER = 10
};

/* What happens if the files exist: an error, they are removed, or they are appended to. */
enum { SILL_REFUSE_EXISTING = 0, SILL_REPLACE_EXISTING = 1, SILL_APPEND_TO_EXISTING = 2 };

/* The same on all ranks; all 0 is the default. docs/arrays.md says what the numbers do. */
typedef struct sill_dataset_options {
  int existing;          /* SILL_REFUSE_EXISTING, ... */
  const char *container; /* "netcdf", "pnetcdf", "checkpoint", "vti", "tecplot" or "raw"; NULL: by the end of path */
  const int64_t *first_step; /* of SILL_APPEND_TO_EXISTING: steps from this one on are overwritten; NULL: none */
  int version;               /* these four of netCDF files: 1, 2 or 5; 0: 2, or 5 where types or sizes ask for it */
  int64_t align;             /* where variables begin; 0: 512 */
  int64_t variable_align;    /* 0: 4 */
  int64_t record_align;      /* 0: 4 */
  int no_fill;               /* 1: no fill values are written; only netCDF files have some: ranks bring all elements */
  int field_data;            /* 1: .vti files hold variables beside the grid as field data; 0: these are errors */
} sill_dataset_options;

/* Collective. Describes a file that sill_dataset_begin makes. `options` may be NULL. */
int sill_dataset_open(sill_session *session, const char *path, const sill_dataset_options *options,
                      sill_dataset **dataset);
/* Local. Defines a dimension; of length 0 the one that grows by one with each step. Errors, as those of the next four:
   usage after sill_dataset_begin; what is wrong with names and types is found by that. */
int sill_dataset_define_dimension(sill_dataset *dataset, const char *name, int64_t length);
/* Local. Defines a variable over `dimensions`, names with commas between them, the slowest first: "time,z,y,x". An
   empty text is a single value. */
int sill_dataset_define_variable(sill_dataset *dataset, const char *name, int type, const char *dimensions);
/* Local. Sets an attribute of a variable that is defined, or of the dataset if `variable` is NULL, to `count` values,
   in place of one of that name. */
int sill_dataset_define_attribute(sill_dataset *dataset, const char *variable, const char *name, int type,
                                  int64_t count, const void *values);
/* Local. The same to a text. */
int sill_dataset_define_text(sill_dataset *dataset, const char *variable, const char *name, const char *text);
/* Local. Defines the coordinate of a dimension as the CF conventions ask for it: a variable of SILL_F8 with the name of
   the dimension. `axis`: "T", "X", "Y" or "Z"; `units`: "m", of T "seconds since 2026-01-01 00:00:00"; `positive`: of Z
   "up" or "down", otherwise NULL; `standard_name` may be NULL. Errors: usage for others. */
int sill_dataset_define_coordinate(sill_dataset *dataset, const char *dimension, const char *axis, const char *units,
                                   const char *positive, const char *standard_name);
/* Collective. Makes or opens the file, in a folder that is there. With SILL_APPEND_TO_EXISTING a netCDF file that was
   not described is taken as it is. Errors: as the constructor of DatasetWriter. */
int sill_dataset_begin(sill_dataset *dataset);
/* Collective. Sets an attribute of a variable, or of the dataset if `variable` is NULL, in place of one of that name;
   when something was written, in netCDF files alone and as far as the header has room. Errors: as DatasetWriter's. */
int sill_dataset_set_attribute(sill_dataset *dataset, const char *variable, const char *name, int type, int64_t count,
                               const void *values);
/* Collective. The same to a text. */
int sill_dataset_set_text(sill_dataset *dataset, const char *variable, const char *name, const char *text);
/* Local. Brings a box to the next call that writes: `first` and `count` have a number for each dimension of the
   variable without the one that grows, `rank` in all, the slowest first. `values` holds the elements of the box
   `stored_first`, `stored_count`, which may be NULL where they are the same, the last dimension fastest. It stays as it
   is until that call. Errors: usage for memory that was brought before for the same call, which all its parts would
   have the last values of. Other errors of what is brought are those of that call, on all ranks. */
int sill_dataset_put(sill_dataset *dataset, const char *variable, int rank, const int64_t *first, const int64_t *count,
                     const int64_t *stored_first, const int64_t *stored_count, int type, const void *values);
/* Local. The same of a copy of the values, so that the memory is the caller's again. Errors: usage also if copies that
   are not written yet, or are lent, would take more than the memory of the session. */
int sill_dataset_put_copy(sill_dataset *dataset, const char *variable, int rank, const int64_t *first,
                          const int64_t *count, const int64_t *stored_first, const int64_t *stored_count, int type,
                          const void *values);
/* Local. Brings the value of a variable without dimensions but the one that grows, such as a time. Of rank 0 it counts,
   of others not, also before sill_dataset_write_own. It is copied, as a double: sill_dataset_put brings longer
   integers. */
int sill_dataset_put_value(sill_dataset *dataset, const char *variable, double value);
/* Local. Brings `count` elements by their numbers, row-major from 0, in any order. `values` stays as it is until the
   call that writes. Errors: as sill_dataset_put. */
int sill_dataset_put_elements(sill_dataset *dataset, const char *variable, int64_t count, const int64_t *elements,
                              int type, const void *values);
/* Local. The same of a copy of the values, as sill_dataset_put_copy. */
int sill_dataset_put_elements_copy(sill_dataset *dataset, const char *variable, int64_t count, const int64_t *elements,
                                   int type, const void *values);
/* Local. What is brought from here on belongs to the step after: sill_dataset_write_step completes both, and so on, and
   sill_dataset_write_own writes to both. All ranks call it as often before a sill_dataset_write_step. */
int sill_dataset_next_step(sill_dataset *dataset);
/* Collective. Writes what was brought; of variables with steps into the next step, without completing it. */
int sill_dataset_write(sill_dataset *dataset, int memory);
/* Collective. The same, and completes the next step. With SILL_LENT arrays stay as they are until wait or close.
   Errors: usage for what was brought: variables that there are not, boxes beyond their shapes, elements of two ranks,
   values that a type does not hold; io. After an error of usage the step can be written again, with all that belongs to
   it, or be left incomplete; after another one, and with async in the policy after any, further calls return the same.
 */
int sill_dataset_write_step(sill_dataset *dataset, int memory);
/* Local. Writes the parts that this rank brought into a step that was written before, while other ranks go on. Errors:
   on this rank alone. */
int sill_dataset_write_own(sill_dataset *dataset, int64_t step);
/* Collective. Returns when all steps are complete. */
int sill_dataset_wait(sill_dataset *dataset);
/* Local. Steps that were begun, with those that the file had. */
int sill_dataset_steps(const sill_dataset *dataset, int64_t *steps);
/* Collective. Completes and closes the file. Errors: usage, once it is closed, if a rank brought what was not written.
 */
int sill_dataset_close(sill_dataset **dataset);
/* Local. Steps that are not complete may be lost. */
int sill_dataset_free(sill_dataset **dataset);

/* Collective. Opens a dataset, also one that others wrote: netCDF files of the classic formats, .vti, .pvd, .xdmf and
   .mhd files; .plt files of Sill's. Errors: input; io. */
int sill_dataset_reader_open(sill_session *session, const char *path, sill_dataset_reader **reader);
/* Local. Complete steps; the length of a dimension, of the one that grows as many. Errors: usage if there is none. */
int sill_dataset_reader_steps(const sill_dataset_reader *reader, int64_t *steps);
int sill_dataset_reader_length(const sill_dataset_reader *reader, const char *dimension, int64_t *length);
/* Local. Whether step `step`, from 0, holds a variable (1, or 0): steps of .vti files and raw bytes may leave some out.
   Errors: usage if there is no such variable or step. */
int sill_dataset_reader_holds(const sill_dataset_reader *reader, const char *variable, int64_t step, int *holds);
/* Local. Wants a box, as sill_dataset_put brings one: the next call that reads puts it into `values`. */
int sill_dataset_reader_get(sill_dataset_reader *reader, const char *variable, int rank, const int64_t *first,
                            const int64_t *count, const int64_t *stored_first, const int64_t *stored_count, int type,
                            void *values);
/* Local. The same of elements by their numbers. */
int sill_dataset_reader_get_elements(sill_dataset_reader *reader, const char *variable, int64_t count,
                                     const int64_t *elements, int type, void *values);
/* Local. What is wanted from here on is of the step after. */
int sill_dataset_reader_next_step(sill_dataset_reader *reader);
/* Collective. Reads what is wanted of variables without steps. Errors: as sill_dataset_write_step. */
int sill_dataset_reader_read(sill_dataset_reader *reader);
/* Collective. The same of a step, from 0, and of variables without steps. */
int sill_dataset_reader_read_step(sill_dataset_reader *reader, int64_t step);
/* Local. */
int sill_dataset_reader_free(sill_dataset_reader **reader);

/* ---- SEG-Y and Seismic Unix ---- */

enum { SILL_SEGY = 0, SILL_SEISMIC_UNIX = 1 };                                  /* kinds of files */
enum { SILL_BIG = 0, SILL_LITTLE = 1, SILL_PAIRWISE = 2 };                      /* byte orders */
enum { SILL_REV_0 = 0, SILL_REV_1 = 10, SILL_REV_2_0 = 20, SILL_REV_2_1 = 21 }; /* revisions */
enum { SILL_EBCDIC = 0, SILL_ASCII = 1, SILL_UNKNOWN_TEXT = 2 };                /* encodings of text headers */

/* What a file is like. */
typedef struct sill_file_form {
  int kind;                     /* SILL_SEGY or SILL_SEISMIC_UNIX */
  int byte_order;               /* SILL_BIG, …; the standard has SILL_LITTLE from revision 2.0 on */
  int revision;                 /* SILL_REV_0, …; of a Seismic Unix file SILL_REV_0 */
  int sample_format;            /* the code of bytes 3225-3226: 1 IBM float, 5 IEEE float, … */
  int64_t samples;              /* of each trace; where lengths vary, of those that do not say */
  double interval_us;           /* from sample to sample; not 0 for writing */
  int64_t traces;               /* how many the file has */
  int lengths_vary;             /* 1: each trace states its own number of samples. 0 for writing */
  int additional_trace_headers; /* of 240 bytes, after the first one of each trace */
  int sorting_code;             /* bytes 3229-3230 */
  int measurement_system;       /* 1 metres, 2 feet, 0 unknown */
  int text_encoding;            /* SILL_EBCDIC, …; SILL_UNKNOWN_TEXT writes EBCDIC */
  const char *text;             /* for writing: lines of the text header, with newlines between them, at most 40 of at
                                   most 80 printable ASCII characters; may be NULL, and is after reading */
} sill_file_form;

typedef struct sill_reader sill_reader;

/* Collective. Opens `count` files as one survey: their traces are numbered through, in the order of the paths. What
   traces of different lengths need is found by an index (docs/index-file.md). Errors: usage if there is no path or two
   lead to one file; io; input if a file is no SEG-Y or Seismic Unix file, was cut, or if the files do not make one
   survey (docs/segy-support.md). */
int sill_reader_open(sill_session *session, const char *const *paths, int64_t count, sill_reader **reader);
/* What is taken as true of every file, and what names of words mean. The same on all ranks. What is left out is NULL.
 */
typedef struct sill_input_options {
  const char
      *assume; /* "byte_order=little,samples=751": counts whatever the files say, as --assume (docs/commands.md) */
  const char *
      map; /* a preset ("standard", "petrel", "rev2.1-ext1", "su", "text"), or a file of TOML or JSON (docs/words.md) */
} sill_input_options;

/* Collective. As sill_reader_open, with assumptions and a map; `options` may be NULL, and nothing of it is needed
   afterwards. Errors: as sill_reader_open; usage for assumptions that no file can meet, and for an invalid map. */
int sill_reader_open_with(sill_session *session, const char *const *paths, int64_t count,
                          const sill_input_options *options, sill_reader **reader);
/* Local. How many files there are, and what one is like. Errors: usage if there is no such file. */
int sill_reader_files(const sill_reader *reader, int64_t *files);
int sill_reader_form(const sill_reader *reader, int64_t file, sill_file_form *form);
/* Local. How many traces there are in all files; which file holds one. Errors: usage if there is no such trace. */
int sill_reader_traces(const sill_reader *reader, int64_t *traces);
int sill_reader_file_of(const sill_reader *reader, int64_t trace, int64_t *file);
/* Local. 1 if all traces have one length, else 0; the bytes of a trace, headers and samples, 0 unless all have one
   length; of the longest one, 0 without traces. */
int sill_reader_is_uniform(const sill_reader *reader, int *is_uniform);
int sill_reader_trace_bytes(const sill_reader *reader, int64_t *bytes);
int sill_reader_longest_trace_bytes(const sill_reader *reader, int64_t *bytes);
/* Local. Bytes and samples of `count` traces from `first` on, together. Errors: usage if they do not exist. */
int sill_reader_bytes_of(const sill_reader *reader, int64_t first, int64_t count, int64_t *bytes);
int sill_reader_samples_of(const sill_reader *reader, int64_t first, int64_t count, int64_t *samples);
/* Local. What lies before the first trace of a file, after the last one: `*bytes` returns how many bytes; the first
   `most` of them come into `into`, which may be NULL. Errors: usage if there is no such file; io. */
int sill_reader_file_header(const sill_reader *reader, int64_t file, int64_t most, void *into, int64_t *bytes);
int sill_reader_file_trailer(const sill_reader *reader, int64_t file, int64_t most, void *into, int64_t *bytes);
/* Local. The text header of a file as UTF-8: 40 lines without the blanks at their ends, a newline after each. `*bytes`
   is its length; the first `most` bytes of it are copied into `into`, which may be NULL, and no NUL after them. Of a
   Seismic Unix file it is empty. Errors: as sill_reader_file_header. */
int sill_reader_text(const sill_reader *reader, int64_t file, int64_t most, char *into, int64_t *bytes);
/* Local. The first 240 bytes of the headers of each of `count` traces from `first` on; `into` has room for `bytes`,
   which is 240 * count. Errors: usage if it is not, or they do not exist; io. */
int sill_reader_read_headers(const sill_reader *reader, int64_t first, int64_t count, void *into, int64_t bytes);
/* Local. Whole traces, headers and samples, as the file has them; `bytes` is what sill_reader_bytes_of returns. Errors:
   as sill_reader_read_headers. */
int sill_reader_read_own(const sill_reader *reader, int64_t first, int64_t count, void *into, int64_t bytes);
/* Collective. The same by all ranks, each its traces, as the policy says; ranges may overlap or be empty. */
int sill_reader_read(const sill_reader *reader, int64_t first, int64_t count, void *into, int64_t bytes);
/* Collective. Every rank reads the samples of its traces as floats, one trace after another, whatever format and byte
   order the file has: rounded to the nearest where a float has too few digits. `samples` is what sill_reader_samples_of
   returns. Ranges may overlap or be empty. Also takes the bytes of the traces as memory. Errors: as sill_reader_read;
   input for a sample beyond the range of float, and for samples that contradict the sample format that a file states
   (100 traces of each file are looked at, once): `sill repair --assume sample_format=CODE` corrects it. */
int sill_reader_read_samples(const sill_reader *reader, int64_t first, int64_t count, float *into, int64_t samples);
/* Local. Lists of traces, `count` of them by number, in any order, any of them several times: bytes and samples of all
   together; whole traces as bytes, in the order of the list; their samples as floats. Reading is by one request for
   each run of consecutive numbers. `bytes` and `samples` are what the first two functions return. sill_reader_read_list
   and sill_reader_read_list_samples may be called by several threads at once. Errors: usage for another size of `into`,
   if a trace does not exist, or if sill_reader_check_samples was not called before samples are read; io; input for a
   sample beyond the range of float. */
int sill_reader_bytes_of_list(const sill_reader *reader, const int64_t *traces, int64_t count, int64_t *bytes);
int sill_reader_samples_of_list(const sill_reader *reader, const int64_t *traces, int64_t count, int64_t *samples);
int sill_reader_read_list(const sill_reader *reader, const int64_t *traces, int64_t count, void *into, int64_t bytes);
int sill_reader_read_list_samples(const sill_reader *reader, const int64_t *traces, int64_t count, float *into,
                                  int64_t samples);
/* Collective. Compares samples of about 100 traces of each file with the sample format that the file states, the first
   time it is called. Errors: input if they contradict it, unless it was assumed; io. */
int sill_reader_check_samples(const sill_reader *reader);
/* Local. The true values of the word `word` of `count` trace headers of `header_bytes` each, one after another in the
   byte order of the survey: the word as the reader's map has it, with its scalar applied (metres from bytes 73-76 and
   71-72), and that of trace header extension 1 where it stands for it. `header_bytes` is 240, or as many times more as
   traces have headers. May be called by several threads at once. Errors: usage if there is no such word, if it is text,
   if its scalar is not mapped, or if it does not lie within `header_bytes`. */
int sill_reader_true_values(const sill_reader *reader, const char *word, const void *headers, int64_t header_bytes,
                            int64_t count, double *values);
/* Local. The reverse: stores each value so that sill_reader_true_values returns it, with the scalar that the header
   states, which stays as it is; rounded to the nearest that the word holds with it, halves to even. Errors: the same;
   usage for a value that the word cannot hold: headers before that one are written. */
int sill_reader_set_true_values(const sill_reader *reader, const char *word, void *headers, int64_t header_bytes,
                                int64_t count, const double *values);
/* Local. The block of `count` items that rank `rank` of `ranks` has where these are divided evenly, earlier ranks
   having one more: from `*first` on `*own`. Errors: usage for counts below 0, or if there is no such rank. */
int sill_block_of(int64_t items, int ranks, int rank, int64_t *first, int64_t *own);
/* Collective. Every rank reads the values of `keys` of `count` traces from `first` on, without their samples: words or
   expressions, separated by commas ("true(sx),true(sy),abs(offset)"; docs/expressions.md). `values` has room for
   `size`, which is `count` times the number of keys: those of the first key, trace after trace, then those of the
   second; NaN for text. A minus before a whole key (descending) changes no value. Ranges may overlap or be empty.
   Errors: usage for keys that the survey does not have or that differ between ranks, for traces that do not exist, for
   another size; input if a trace has no such value; io. */
int sill_reader_read_values(const sill_reader *reader, const char *keys, int64_t first, int64_t count, double *values,
                            int64_t size);

/* The smallest and the largest value, and the first traces that have them; NaN, and traces before the first one, where
   there are none. */
typedef struct sill_extremes {
  double smallest;
  double largest;
  int64_t smallest_trace;
  int64_t largest_trace;
} sill_extremes;

/* Collective. The smallest and the largest finite value of a key over all traces. Errors: as sill_reader_read_values.
 */
int sill_reader_extremes(const sill_reader *reader, const char *key, sill_extremes *extremes);
/* Collective. The numbers of all traces in the order of `keys` ("cdp,-offset": descending; the first key counts most),
   traces of equal keys as they stand: this rank has the block sill_block_of of them, `*count` returns how many these
   are, and the first `most` come into `traces`, which may be NULL. sill_reader_read_list reads them. Errors: as
   sill_reader_read_values; usage for keys of more than 64 bytes. */
int sill_reader_order(const sill_reader *reader, const char *keys, int64_t most, int64_t *traces, int64_t *count);
/* Collective. Writes all traces in that order to `target`, which appears when it is complete, as `sill sort` does.
   Errors: as sill_reader_order; usage for a target that is an input; io. */
int sill_reader_sort(const sill_reader *reader, const char *keys, const char *target);
/* Collective. Errors: io if a file was changed, replaced or edited since it was opened. */
int sill_reader_require_unchanged(const sill_reader *reader);
/* Collective; it sends nothing, because files that were read have nothing to report. */
int sill_reader_close(sill_reader **reader);
/* Local. */
int sill_reader_free(sill_reader **reader);

typedef struct sill_writer sill_writer;

/* Collective. A file of `form->traces` equal traces; its text header and binary header are written. The file has its
   name once it is finished, and is not there before. Errors: usage for what the form cannot hold, for an interval of 0,
   or if lengths vary; io. */
int sill_writer_open(sill_session *session, const char *target, const sill_file_form *form, sill_writer **writer);
/* Collective. A file of `traces` equal traces of `trace_bytes` after a header of `header_bytes` and before a trailer of
   `trailer_bytes`, all of which the caller brings as bytes, each exactly once. Errors: usage for a size below 0; io. */
int sill_writer_open_bytes(sill_session *session, const char *target, int64_t header_bytes, int64_t trace_bytes,
                           int64_t traces, int64_t trailer_bytes, sill_writer **writer);
/* Collective. The bytes before the first trace, after the last one; those of rank 0 count. Errors: usage if rank 0
   brings another number of bytes than was announced; io. */
int sill_writer_write_header(sill_writer *writer, const void *from, int64_t bytes);
int sill_writer_write_trailer(sill_writer *writer, const void *from, int64_t bytes);
/* Collective. Every rank writes `count` traces from `first` on, headers and samples as the file has them. Ranges of
   ranks are disjoint and may be empty. Errors: usage if they overlap, or do not fit the file or `bytes`; io. */
int sill_writer_write(sill_writer *writer, int64_t first, int64_t count, const void *from, int64_t bytes);
/* Collective. The same from headers (240 bytes per trace, with those of additional ones more, in the byte order of the
   file) and samples as floats, which become samples of the form's format: rounded to the nearest, halves to even. Of
   Seismic Unix, number and interval of samples are set in the headers. Also takes the bytes of the traces as
   memory. Errors: as sill_writer_write; usage if the writer was opened without a form; input for a sample that the
   format cannot hold. */
int sill_writer_write_samples(sill_writer *writer, int64_t first, int64_t count, const void *headers,
                              int64_t header_bytes, const float *samples, int64_t sample_count);
/* Collective. The same of `count` traces by number, in any order, from bytes or samples in the order of the list. Of a
   number that a rank names several times the last one counts; ranks name different ones. Errors: the same. */
int sill_writer_write_list(sill_writer *writer, const int64_t *traces, int64_t count, const void *from, int64_t bytes);
int sill_writer_write_list_samples(sill_writer *writer, const int64_t *traces, int64_t count, const void *headers,
                                   int64_t header_bytes, const float *samples, int64_t sample_count);
/* Local. Bytes of the whole file; of a trace. */
int sill_writer_file_bytes(const sill_writer *writer, int64_t *bytes);
int sill_writer_longest_trace_bytes(const sill_writer *writer, int64_t *bytes);
/* Collective. Completes the file, and gives it its name. Errors: io; then there is no file. */
int sill_writer_finish(sill_writer **writer);
/* Local. The unfinished file is removed. */
int sill_writer_free(sill_writer **writer);

/* Local. The word of a trace header (240 bytes, in `byte_order`) that has the name `word` ("cdp", "tracl", "offset";
   docs/words.md), as stored: no scalar is applied. Errors: usage if there is no such word, or if it is text; with
   sill_write_word also if the word cannot hold the value, and nothing is written then. */
int sill_read_word(const void *header, const char *word, int byte_order, double *value);
int sill_write_word(void *header, const char *word, int byte_order, double value);

/* ---- surveys as streams: every trace through a function of the program ---- */

/* Consecutive traces in the memory of a thread. What pointers refer to ends with the call. */
typedef struct sill_block {
  int64_t count;         /* of traces */
  int64_t first;         /* place of the first trace in the stream, 0 in an operation of a flow */
  const int64_t *traces; /* the number of each in the survey, all files counted through */
  void *headers;         /* count * header_bytes bytes, trace after trace, in byte_order */
  int64_t header_bytes;  /* of all headers of a trace: 240, and 240 for each additional one */
  int byte_order;        /* SILL_BIG, … */
  int64_t samples;       /* of each trace; 0: headers alone are passed */
  float *values;         /* sample s of trace i: values[i * stride + s] */
  int64_t stride;        /* floats from a trace to the next, `samples` or more */
  int64_t out_samples;   /* of each trace as it is written */
  float *out;            /* count * out_samples floats, zeros, where out_samples differs from samples; else NULL: values
                            is changed in place and written */
  double interval_us;    /* from sample to sample of values */
  int thread;            /* from 0, of this rank; 0 in an operation */
  const void *words;     /* for sill_block_true_values */
} sill_block;

/* What is called with blocks. It returns 0, or anything else to end the stream or flow with an error on all ranks:
   SILL_USAGE, SILL_INPUT or SILL_IO, which is then the status (any other number is SILL_USAGE). If a function of sill.h
   failed on its thread, the error has that text. It calls no Collective function. Threads of a rank call it at the same
   time for different blocks, unless it is said to be not thread-safe. */
typedef int (*sill_block_work)(sill_block *block, void *context);

/* Local. As sill_reader_true_values and sill_reader_set_true_values, for all traces of a block: `values` has
   block->count. Any thread may call it with its block. */
int sill_block_true_values(const sill_block *block, const char *word, double *values);
int sill_block_set_true_values(sill_block *block, const char *word, const double *values);

/* The same on all ranks. What is left out is 0 or NULL. */
typedef struct sill_stream_options {
  const char *target;    /* the file that is written; NULL: none */
  const int64_t *traces; /* these traces of the survey, in this order, any of them several times; NULL: all */
  int64_t trace_count;   /* how many those are */
  int sample_format;     /* of the output, the code of bytes 3225-3226; 0: that of the survey */
  int64_t samples;       /* of each trace of the output; 0: as many as the survey has */
  double interval_us;    /* of the output; 0: that of the survey */
  int headers_only;      /* 1: samples are not decoded, and are copied as they are */
  int clip;              /* 1: samples beyond the range of the format become its nearest value; 0: an error */
  int not_thread_safe;   /* 1: one thread of a rank at a time calls the function */
  const char *history;   /* a line that is added to the text header, at most 80 characters; NULL: none */
  int accept_loss;       /* 1: also if a tenth of the samples become 0 or change by 5 % in the format; 0: an error */
} sill_stream_options;

typedef struct sill_stream_result {
  int64_t traces;    /* that were passed */
  int64_t bytes_out; /* of the output; 0 without one */
  int64_t rounded;   /* samples that the format of the output holds as another value */
  int64_t clipped;   /* samples that were beyond its range */
} sill_stream_result;

/* Collective. Passes all traces of the survey of `reader`, or a list of them, through `work`, in blocks of about 512
   KB; each trace of the stream exactly once, on one of the ranks, with its headers and its samples as floats. What
   `work` leaves in headers and samples is written to options->target: a file of the survey's kind, byte order and
   revision, with the text, binary and extended headers of its first file, which appears when it is complete. Reading,
   conversion, `work` and writing of different blocks go on at the same time on the threads of a rank. The bytes of the
   output depend neither on ranks nor threads nor policy if `work` does not. Words that state the number of samples or
   the interval are set where options change these. `options` may be NULL: all traces, nothing is written; `result` may
   be NULL. Memory: a few MB per thread, or one trace if that is more. Errors: usage for options that differ between
   ranks or cannot be, for traces that do not exist, for a target that is an input; input for traces that differ in
   length, for samples beyond the range of float, that the format of the output cannot hold, or that contradict the
   sample format of a file; io; what `work` returns. There is no target then. */
int sill_stream_run(const sill_reader *reader, const sill_stream_options *options, sill_block_work work, void *context,
                    sill_stream_result *result);

/* ---- flows: processing operations, planned and performed together ---- */

/* What to do with samples of the input that are NaN or infinite where an operation reads them. */
enum { SILL_NONFINITE_STOP = 0, SILL_NONFINITE_ZERO = 1, SILL_NONFINITE_KEEP = 2 };

/* The same on all ranks. What is left out is 0 or NULL. */
typedef struct sill_flow_options {
  const char *assume;    /* as in sill_input_options */
  const char *map;       /* likewise */
  int sample_format;     /* of the output, the code of bytes 3225-3226; 0: that of the input */
  int clip;              /* 1: samples beyond the range of the format become its nearest value; 0: an error */
  int nonfinite;         /* SILL_NONFINITE_STOP, … */
  int no_history;        /* 1: no lines about the flow are added to the text header */
  const char *scratch;   /* folder of the files between passes; NULL: that of the output */
  int accept_loss;       /* 1: also if a tenth of the samples become 0 or change by 5 % in the format; 0: an error */
  const char *scale;     /* "fit", or a factor of all samples of the output, as --scale; NULL: none */
  int process_auxiliary; /* 1: operations take traces that are no seismic data, too */
  int resume;            /* 1: what is finished stays if the run is interrupted or fails, and the next run with it goes
                            on from there, if its inputs, operations and options are the same */
} sill_flow_options;

typedef struct sill_flow_result {
  int64_t traces_in;   /* of the input */
  int64_t traces_out;  /* of the output */
  int64_t samples_out; /* of each trace of the output */
  int64_t bytes_out;   /* of the output */
  int64_t passes;      /* over the traces */
  int64_t zeroed;      /* samples of the input that were not finite and became 0 */
  const char *notes;   /* what operations counted and report, a line each ("minmax: samples from ..."), the same on all
                          ranks; valid until the next flow of the session or its end */
} sill_flow_result;

/* Collective. Applies the operations of `flow` ("agc 500ms; mute top at=300ms"; `sill flow --list` names them), in the
   order in which they stand, to the survey of `count` files, and writes the result to `output`, which appears when it
   is complete; NULL or empty: nothing is written, for operations that report
   (result->notes). `options` and `result` may be NULL. Errors: as sill_reader_open_with; usage for text that is no
   flow, for parameters that the survey rules out, for an output that is an input, for a gather that does not fit into
   the memory; input for samples that are not finite or that the format of the output cannot hold, and what operations
   refuse; io. */
int sill_flow_run(sill_session *session, const char *const *inputs, int64_t count, const char *output, const char *flow,
                  const sill_flow_options *options, sill_flow_result *result);

/* What an operation is called with at once. */
enum {
  SILL_EACH_TRACE = 0, /* any number of consecutive traces, each of which counts by itself */
  SILL_GATHER = 1      /* all traces whose keys are equal */
};

/* An operation of the program. It is planned by nothing else than what is declared here. What is left out is 0 or NULL.
 */
typedef struct sill_operation {
  const char *name;    /* in flows: a letter, then letters, digits and underscores */
  const char *summary; /* a line for `sill_flow_run`'s errors and lists; NULL: none */
  int scope;           /* SILL_EACH_TRACE or SILL_GATHER */
  const char *keys;    /* of SILL_GATHER: "cdp", "iline,xline" (docs/expressions.md); NULL: the parameter by=KEY,KEY of
                          the flow, or the first key of the sort before it */
  const char *reads_words;     /* words of trace headers that it looks at, "offset,sx"; NULL: none */
  const char *writes_words;    /* words that it changes; NULL: none */
  int reads_samples;           /* 1: it looks at samples */
  int writes_samples;          /* 1: it changes samples */
  int changes_amplitudes;      /* 1: samples get another scale, which no integer format holds without being asked to */
  int64_t memory_bytes;        /* that it takes for each trace of a block, beside the block */
  int not_thread_safe;         /* 1: one thread of a rank at a time calls its functions */
  sill_block_work run;         /* changes samples and, of SILL_GATHER, headers; may be NULL without either */
  sill_block_work edit_header; /* of SILL_EACH_TRACE that writes words: changes the headers of the one trace of its
                                  block, which has no samples. It is called apart from `run`, perhaps twice and before
                                  samples are read. NULL: none */
  void *context;               /* is passed to both */
} sill_operation;

/* Local. Adds an operation to those that flows of this process may name; every rank adds the same before it runs a flow
   with it. Names and lists are copied; functions and context stay as long as flows are run. Samples of a trace are
   written back, in the format of the output, where it writes samples. Not while a flow runs. Errors: usage for a name
   that there is already or that is none, for declarations that contradict each other. Words that the survey does not
   have are an error of sill_flow_run. */
int sill_flow_add_operation(const sill_operation *operation);

#ifdef __cplusplus
}
#endif
#endif
