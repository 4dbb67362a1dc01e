/* Sill for programs in C, and in languages that call C. All ranks of an MPI communicator together write the output of
   simulations, and read and write SEG-Y and Seismic Unix files.

   Every function returns a status, except sill_last_error, sill_last_errno and sill_version: SILL_OK, or the code of an
   error, which sill_last_error() then describes. The description of each function begins with one of two words:
     Collective  All ranks of the session's communicator must call the function, in the same order. It returns the same
                 status on all of them: SILL_OK or the same error.
     Local       The function does not communicate.
   A handle or a result pointer that is NULL is a usage error of the rank that passes it. That rank sends nothing, so in
   a Collective call the other ranks may wait for it, as after a call of MPI on MPI_COMM_NULL. Other arguments that are
   wrong on some ranks only are an error on all ranks.

   Ranks are numbered from 0, as in MPI, and so are stations, components, points, traces and files. Sizes are int64_t. A
   function that creates a handle sets it to NULL if it fails. Functions named close and finish are Collective, and free
   the handle whether they succeed or fail. Functions named free are Local, do not complete unfinished output, and
   accept a handle that is NULL. All of them set the handle to NULL. A session may be freed before the objects opened in
   it.

   Only the thread that opened a session may use the session and the objects opened in it, except where a function
   allows calls by several threads. */
#ifndef SILL_H
#define SILL_H

#include "sill_config.h"

#if SILL_HAS_MPI
/* Excludes the C++ bindings, which MPI has removed. */
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
  SILL_IO = 4     /* a request to the system failed: missing file, no permission, full disk, no memory, MPI */
};

/* Local. Returns a description of the last failed call of this thread: the problem, the position, the rank, and what to
   do. The text may have several lines, and does not end with a newline. It is empty if no call has failed, and valid
   until the next call of this thread fails. The result is never NULL. */
const char *sill_last_error(void);

/* Local. Returns the errno of the last failed call of this thread, for example ENOSPC for a full disk, EDQUOT for an
   exhausted quota, EIO for a failed disk, ENOMEM. After a Collective call all ranks return the errno of the rank that
   caused the error. Returns 0 if no call has failed, or if the failure has no errno: wrong use, a damaged file, an
   error of MPI that states no cause. The value is valid as long as the text of sill_last_error. Errors: none. */
int sill_last_errno(void);

/* Local. Returns the version of the library, "0.1.0". */
const char *sill_version(void);

/* ---- sessions: a communicator, the options for its output, and a report of the cost ---- */

typedef struct sill_session sill_session;

/* Settings of a session, the same on all ranks (docs/options.md). Members that are not set must be 0 or NULL. */
typedef struct sill_options {
  const char *policies; /* how data is moved and written (docs/policies.md): "elected,async=2", or separately for each
                           output: "stations:staged; surfaces:stage=4M". NULL: "direct" */
  int64_t memory_bytes; /* buffer memory of each rank; 0: a quarter of the memory of the rank's node, divided by the
                           number of ranks on the node */
  int threads;          /* threads per rank, if the policy does not set them; 0: the number of cores that the rank
                           has */
  const char *report;   /* the file that sill_session_finish writes: tables if its name ends with .txt, an HTML page if
                           with .html, otherwise JSON; NULL: none */
  const char *file;     /* a TOML file whose settings override these; NULL: none */
  int no_environment;   /* 0: SILL_OPTIONS, SILL_POLICY, SILL_LAYOUT of rank 0 override all other settings; 1: they do
                           not */
} sill_options;

#if SILL_HAS_MPI
/* Collective over `comm`. Opens a session. `comm` is duplicated, so that messages of Sill never mix with messages of
   the program. The session neither initializes nor finalizes MPI; MPI must stay initialized, with thread level
   MPI_THREAD_FUNNELED or more, as long as the session or any object opened in it exists. If `options` is NULL, only the
   settings of the environment apply. `options` is not used after the call. Errors: usage if MPI is not initialized or
   is finalized (this error occurs only on this rank), if `comm` is not an intracommunicator, if options are invalid or
   not the same on all ranks; io for the options file, the report, or if MPI fails. */
int sill_session_open(MPI_Comm comm, const sill_options *options, sill_session **session);
/* Collective. Opens a session on a communicator of Fortran, an INTEGER, as sill_session_open does. Error messages of
   the session and of objects opened in it number points, elements and files from 1. NULL for `session` is a usage error
   on all ranks: the Fortran module passes NULL if its variable already holds an open session. */
int sill_session_open_f(MPI_Fint comm, const sill_options *options, sill_session **session);
#endif
/* Local. Opens a session whose only rank is this process. MPI need not be initialized. If Sill was built without MPI,
   only this function opens sessions. Errors: usage if options are invalid; io for the options file or the report. */
int sill_session_open_alone(const sill_options *options, sill_session **session);
enum { SILL_JSON = 0, SILL_TABLE = 1 };
/* Collective. Returns the cost of all outputs so far (docs/io-report.md) in `*text`, as JSON or as tables. The text is
   the same on all ranks, and valid until the next report or the end of the session. Errors: usage if `form` is neither
   SILL_JSON nor SILL_TABLE; io if MPI fails. */
int sill_session_report(sill_session *session, int form, const char **text);
/* Collective. Writes the report, if the options name a file. Call it after closing all objects opened in the session.
   Errors: io. */
int sill_session_finish(sill_session **session);
/* Local. Frees the session without writing its report. */
int sill_session_free(sill_session **session);

/* ---- stations: the recordings of receivers, written in output phases of several time steps ---- */

/* Formats of station files. Samples are 4-byte floats, except in text files. */
enum {
  SILL_STATIONS_TEXT = 0, /* text in the format of Ondes3D, one file per station: obs1.dat, … */
  SILL_STATIONS_SAC = 1,  /* one file per component of a station, obs1.vx.sac, …; the position in USER0 to USER2 */
  SILL_STATIONS_SEGY = 2, /* one file, stations.sgy: a shot gather; cdp is the station, cdpt the component from 1 */
  SILL_STATIONS_SU = 3,   /* the same shot gather as a Seismic Unix file, stations.su */
  SILL_STATIONS_MINISEED = 4, /* one file, stations.mseed, network XX */
  SILL_STATIONS_ASDF = 5      /* one file, stations.h5, with the arrays of sill_stations_attach; it is an HDF5 file only
                                 after the last of final_steps steps */
};

typedef struct sill_stations sill_stations;

typedef struct sill_station {
  int number;           /* station number that the file states; the names of files use the index in the array of
                           stations, from 1, instead */
  double position_m[3]; /* x, y, z */
} sill_station;

/* The output of stations, the same on all ranks. Members that are not set must be 0 or NULL. */
typedef struct sill_station_output {
  const char *folder;          /* folder of the files, created if it does not exist */
  int64_t stations;            /* number of stations */
  const sill_station *station; /* array of all stations */
  int components;              /* components per station; Ondes3D has 9: vx vy vz txx tyy tzz txy txz tyz */
  const int *owners;           /* the rank that has component c of station s: owners[s * components + c] */
  double interval_s;           /* time step of the samples */
  int64_t final_steps;         /* maximum number of time steps; for ASDF the number */
  int64_t steps_per_phase;     /* number of time steps per output phase, 1 or more */
  int count_grows;             /* text files only: 0: the header has a fixed size; 1: it grows with the number of steps,
                                  as in Ondes3D */
  int form;                    /* SILL_STATIONS_TEXT, … */
  const char *component_names; /* names of the components, "vx,vy,vz": at most 8 characters each for SAC, at most 3 for
                                  miniSEED, 3 capital letters or digits for ASDF; NULL: the names of Ondes3D for nine
                                  components, otherwise "1,2,…", which are no channel codes of ASDF */
  int shot;                    /* shot number, for SEG-Y and Seismic Unix */
  const double *source_m;      /* position of the shot's source, 3 numbers in m; NULL: not known */
  int64_t start_us;            /* miniSEED and ASDF: time of the first sample, in microseconds since 1970, UTC */
  int64_t continues_after;     /* number of steps of an earlier run that the files retain and this run continues, on any
                                  number of ranks; 0: new files */
  const char *codes;           /* ASDF only: "NET.STA" or "NET.STA.LOC" of each station, with commas between them; NULL:
                                  network XX, and the station's number */
  const char *tag;             /* ASDF only: the tag of the waveforms; NULL or "": "synthetic" */
  const char *event_id;        /* ASDF only: the event of the waveforms in QuakeML; NULL: none */
} sill_station_output;

/* Collective. Opens station files. If continues_after is 0, files of an earlier run are removed, and the first phase
   creates new ones. Otherwise the files retain their first steps, and later steps are cut off. `output` is not used
   after the call. Errors: usage if `output` is not the same on all ranks, if an owner is not a rank, if a number that
   must be positive is not positive, or for invalid component names; input if the files to be continued have other
   stations or fewer steps; io, also if another run is writing stations into the folder. No run can begin in the folder
   until the other run closes its stations or ends. */
int sill_stations_open(sill_session *session, const sill_station_output *output, sill_stations **stations);
/* Local. Returns the station and the component of each value that this rank passes at each step, in the order in which
   the rank passes the values: by station, then by component. Stores the first `capacity` of them in `station` and
   `component`, which may be NULL; `*count` receives the number of values. */
int sill_stations_owned(const sill_stations *stations, int64_t capacity, int64_t *station, int *component,
                        int64_t *count);
/* Local. Add a copy of an array, or of a text, to an ASDF file, before its first output phase: "QuakeML",
   "Waveforms/NET.STA/StationXML" and "Provenance/NAME" are texts, "AuxiliaryData/TYPE/NAME" is any array. One rank
   attaches each of them. `type` is SILL_I1, … SILL_F8; `shape` has `dimensions` lengths; adjacent elements differ in
   the last index. A continued run attaches the same again. The next Collective call returns any error on all ranks: a
   file that is not ASDF, a path or a shape that ASDF does not allow, a second array with the path. */
int sill_stations_attach(sill_stations *stations, const char *path, int type, int dimensions, const int64_t *shape,
                         const void *values);
int sill_stations_attach_text(sill_stations *stations, const char *path, const char *text);
/* Local. Set an attribute of "AuxiliaryData/TYPE/NAME" to `count` values, or to a text, on the rank that attached the
   array, and replace an attribute of the same name. The function itself returns an error in the name, the type or the
   number of values. The next Collective call returns any other error on all ranks: a file that is not ASDF, an array
   that this rank has not attached, an attribute that ASDF does not allow. */
int sill_stations_attach_attribute(sill_stations *stations, const char *path, const char *name, int type, int64_t count,
                                   const void *values);
int sill_stations_attach_attribute_text(sill_stations *stations, const char *path, const char *name, const char *text);
/* Local. Stores the `count` values of a time step, in the order of sill_stations_owned. The array may change after the
   call. The next Collective call returns any error on all ranks: another number of values, NULL in place of values, a
   value outside the range of floats in files of floats, too many steps. */
int sill_stations_record(sill_stations *stations, const double *values, int64_t count);
/* Collective. Calls sill_stations_record, and also sill_stations_flush when the steps of a phase are complete. Ranks
   communicate only in sill_stations_flush. Errors: as sill_stations_flush. */
int sill_stations_write_step(sill_stations *stations, const double *values, int64_t count);
/* Collective. Writes an output phase: the stored steps are written to the files, and then the headers are updated to
   include them. Errors: usage for errors of sill_stations_record, or if ranks recorded different numbers of steps; io.
   After an error, earlier phases remain readable, and further calls return the same error. */
int sill_stations_flush(sill_stations *stations);
/* Local. Return the number of time steps in all phases begun so far; the number of output phases so far; the size of
   all files together after the phases so far, in bytes. */
int sill_stations_steps(const sill_stations *stations, int64_t *steps);
int sill_stations_phases(const sill_stations *stations, int64_t *phases);
int sill_stations_file_bytes(const sill_stations *stations, int64_t *bytes);
/* Collective. Calls sill_stations_flush and closes the files. Errors: as sill_stations_flush; usage if an ASDF file
   lacks some of its final_steps steps. */
int sill_stations_close(sill_stations **stations);
/* Local. Frees the handle. Steps that were not flushed are lost. */
int sill_stations_free(sill_stations **stations);

/* ---- grids that are distributed over ranks ---- */

/* The points of a grid that one rank has. Dimensions are x, y, z. */
typedef struct sill_grid {
  int64_t shape[3];        /* points of the complete grid, the same on all ranks */
  int64_t first[3];        /* first point of the box that this rank writes; each point belongs to one rank */
  int64_t count[3];        /* number of points of this box in each dimension; 0: the box is empty */
  int64_t stored_first[3]; /* first point of the box that the rank's arrays store: the points that it writes and any
                              ghost points, even outside the grid */
  int64_t stored_count[3]; /* number of points of the stored box in each dimension; all 0: the arrays store exactly the
                              points that the rank writes */
} sill_grid;

/* The index that varies fastest in the arrays of a rank. */
enum {
  SILL_Z_FASTEST = 0, /* array[x][y][z] in C */
  SILL_X_FASTEST = 1  /* array[z][y][x] in C, array(x, y, z) in Fortran */
};

/* Ownership of the arrays passed to a phase while it is in progress (async in the policy). Any other number is treated
   as SILL_COPIED. */
enum {
  SILL_COPIED = 0, /* the caller may change the arrays when the call returns */
  SILL_LENT = 1    /* the arrays must not change until wait or close; they need not be copied */
};

/* ---- surfaces: planes of a distributed grid, one VTK file each ---- */

typedef struct sill_surfaces sill_surfaces;

/* Options of surface output, the same on all ranks. */
typedef struct sill_surface_options {
  const char *prefix;      /* prepended to file names; to name a folder, end it with a slash. NULL: nothing */
  const int64_t *xy_at_z;  /* z index of the xy plane; NULL: no xy plane. At least one of the three planes is
                              required */
  const int64_t *xz_at_y;  /* y index of the xz plane; NULL: no xz plane */
  const int64_t *yz_at_x;  /* x index of the yz plane; NULL: no yz plane */
  int64_t first_plane_row; /* first z index of the xz and yz planes */
  int64_t plane_rows;      /* number of z indices of the xz and yz planes; 0: up to the last z index of the grid */
  double origin[3];        /* position of point (0, 0, 0), in m */
  double spacing[3];       /* distance between points, in m, above 0 */
  int displacement;        /* 1: each phase writes displacement in addition to velocity */
  int order;               /* order of points in the arrays: SILL_Z_FASTEST or SILL_X_FASTEST */
  int64_t continues_after; /* last step of an earlier run that this run continues: files of later steps are removed; 0:
                              a new run */
} sill_surface_options;

/* Collective. Opens surface output. The grid may be decomposed into any boxes. Errors: usage if ranks were given
   different grids or options, if the points that a rank writes are outside the grid or outside the rank's stored box,
   if there is no plane or a plane is outside the grid, if a point of a plane belongs to no rank, or for an origin or a
   spacing that the format cannot store; io if the folder of the files does not exist or is not writable. */
int sill_surfaces_open(sill_session *session, const sill_grid *grid, const sill_surface_options *options,
                       sill_surfaces **surfaces);
/* Collective. Writes the planes of step `step`, which is part of the file names: one file per plane, and a second one
   with displacement. Each array has `points` values, one for each stored point: velocity along x, y, z, then
   displacement, which is NULL if the options do not request it or if there are no points. With SILL_COPIED the caller
   may change the arrays after the call, with SILL_LENT after sill_surfaces_wait or close. With async=k in the policy at
   most k phases are unfinished when the call returns. An error of an earlier phase is returned by the call for a later
   phase, which is written nevertheless. Errors: usage if an array does not have one value for each point that the rank
   stores, if displacement is missing or was not requested, if the step differs between ranks or is below 0, if two
   ranks have the same point of a plane; io. Files of finished phases remain unchanged. */
int sill_surfaces_write_phase(sill_surfaces *surfaces, int64_t step, int64_t points, const float *vx, const float *vy,
                              const float *vz, const float *dx, const float *dy, const float *dz, int memory);
/* Collective. Finishes all phases begun so far; after that the caller may change lent arrays. Errors: as
   sill_surfaces_write_phase: returns the first error, after the other phases are finished too. */
int sill_surfaces_wait(sill_surfaces *surfaces);
/* Local. Returns the size of the files of one phase in bytes. */
int sill_surfaces_phase_bytes(const sill_surfaces *surfaces, int64_t *bytes);
/* Collective. Finishes all phases. Errors: as sill_surfaces_write_phase: returns the first error, after the other
   phases are finished too. */
int sill_surfaces_close(sill_surfaces **surfaces);
/* Local. Frees the handle. Unfinished phases may be lost. */
int sill_surfaces_free(sill_surfaces **surfaces);

/* ---- records: result texts in any order, compressed into one file with an index ---- */

typedef struct sill_records sill_records;

/* Options of records, the same on all ranks. Members that are not set must be 0 or NULL. */
typedef struct sill_records_options {
  const char *codec;   /* "none", "zstd" or "bgzf" (readable by gzip -d); NULL or "": zstd */
  int level;           /* 1 to 19 for zstd, 1 to 12 for bgzf; 0: 3 */
  int64_t frame_bytes; /* size of the records that are compressed together; 0: 1 MiB. Always 65,280 for bgzf */
  int64_t files;       /* number of files, each for a range of ids: NAME.0.END, ...; 0: one. More than one require
                          ids */
  int64_t ids;         /* number of ids, which start at 0; 0: not known */
  int replaces;        /* 1: replaces existing files; 0: existing files are an error */
} sill_records_options;

/* Collective. Opens a file of records. If `options` is NULL, all options have their defaults. Errors: usage for options
   that are invalid or differ between ranks, and if files already exist; io, also if another run is writing them. */
int sill_records_open(sill_session *session, const char *path, const sill_records_options *options,
                      sill_records **records);
/* Local. Copies `size` bytes as record `id`. Ranks pass records in any order, each record once. Errors: usage if the id
   is below 0, not below `ids`, or already passed by this rank; if `size` is below 0, or `bytes` is NULL and `size` is
   not 0. */
int sill_records_put(sill_records *records, int64_t id, const void *bytes, int64_t size);
/* Collective. Compresses and writes each record whose frame is full and for which all records of the same file with
   lower ids were passed or written. Other records wait in memory. Errors: usage if two ranks passed the same id; io. */
int sill_records_write(sill_records *records);
/* Collective. Writes all remaining records, and completes the files. Errors: as sill_records_write. */
int sill_records_close(sill_records **records);
/* Local. Frees the handle. Records that were not written are lost. */
int sill_records_free(sill_records **records);

/* ---- volumes: a regular selection of points of a distributed grid, several time samples per file ---- */

typedef struct sill_volumes sill_volumes;

/* The end of the z dimension at which the surface is. Files begin with the surface. */
enum { SILL_SURFACE_AT_FIRST_Z = 0, SILL_SURFACE_AT_LAST_Z = 1 };

/* Options of volume output, the same on all ranks. Names in AWP-ODC: NBG - 1, NED - 1 and NSKP of x, y and z; NTISKP;
   WRITE_STEP. */
typedef struct sill_volume_options {
  const char *prefix;     /* prepended to file names; to name a folder, end it with a slash. NULL: nothing */
  const char *components; /* the components of "XYZ" to write; NULL or "": all three */
  int64_t kept_first[3];  /* first index of the selected points in x, y and z (z counts from the surface down) */
  int64_t kept_last[3];   /* upper limit of the selected indices; -1: the last point of the grid */
  int64_t kept_skip[3];   /* 1: every point, 2: every second point, …; the number of points or more: only the first */
  int64_t steps_per_sample; /* samples are taken at steps that are multiples of this number, 1 or more */
  int64_t samples_per_file; /* files end at steps that are multiples of steps_per_sample * samples_per_file; 1 or
                               more */
  int64_t first_step;       /* step of the first call of sill_volumes_write_step, 0 or more */
  int order;                /* order of points in the arrays: SILL_Z_FASTEST or SILL_X_FASTEST */
  int surface;              /* SILL_SURFACE_AT_FIRST_Z or SILL_SURFACE_AT_LAST_Z (AWP-ODC) */
  int64_t continues_after;  /* last step of an earlier run that this run continues, on any number of ranks; the first
                               call of sill_volumes_write_step is for the step after it. Files of later steps are
                               removed. Samples of an unfinished batch are read from the file that sill_volumes_close
                               wrote for them; 0: a new run */
} sill_volume_options;

/* Collective. Opens volume output. The grid may be decomposed into any boxes. Errors: usage if ranks were given
   different grids or options, if the points that a rank writes are outside the grid or outside the rank's stored box,
   if a selected point is outside the grid or belongs to no rank, or if the components, steps or samples result in no
   file; input if no file contains the samples of a run to be continued; io if the folder of the files does not exist or
   is not writable, or if a rank has not enough memory for its samples. */
int sill_volumes_open(sill_session *session, const sill_grid *grid, const sill_volume_options *options,
                      sill_volumes **volumes);
/* Collective. Must be called once per time step, for consecutive steps. Each array has `points` values, one for each
   stored point: components x, y, z. Components without files may be NULL, and no array is read at steps without a
   sample. Ranks communicate only when a batch of samples is full. The batch is then written, and errors of any rank
   since the last batch are returned. With SILL_COPIED the caller may change the arrays after the call, with SILL_LENT
   after sill_volumes_wait or close. With async=k in the policy at most k batches are unfinished when the call returns.
   An error of an earlier batch is returned by the call that begins a later batch, which is written nevertheless.
   Errors: usage if an array does not have one value for each point that the rank stores, if the step is not the next
   one, if ranks took different numbers of samples, or if two ranks have the same selected point; io. */
int sill_volumes_write_step(sill_volumes *volumes, int64_t step, int64_t points, const float *x, const float *y,
                            const float *z, int memory);
/* Collective. Finishes all batches begun so far; after that the caller may change lent arrays. Errors: as
   sill_volumes_write_step: returns the first error, after the other batches are finished too. */
int sill_volumes_wait(sill_volumes *volumes);
/* Local. Return the memory for stored samples of this rank, in bytes; the size of the files of one full batch, in
   bytes; the number of batches begun so far. */
int sill_volumes_kept_bytes(const sill_volumes *volumes, int64_t *bytes);
int sill_volumes_batch_bytes(const sill_volumes *volumes, int64_t *bytes);
int sill_volumes_batches(const sill_volumes *volumes, int64_t *batches);
/* Collective. Writes the last batch with the samples that it has, and finishes all batches. Errors: as
   sill_volumes_wait. */
int sill_volumes_close(sill_volumes **volumes);
/* Local. Frees the handle. Unfinished batches may be lost. */
int sill_volumes_free(sill_volumes **volumes);

/* ---- local solutions: the results of each local problem of a multiscale simulation, as text, in output phases ---- */

typedef struct sill_solutions sill_solutions;

/* Files of a phase: one per local problem, or one for all local problems. */
enum { SILL_EACH = 0, SILL_SHARED = 1 };

/* The output of solutions, the same on all ranks except for my_problems. */
typedef struct sill_solution_output {
  const char *folder;        /* folder of all files, created if it does not exist */
  int64_t my_problems;       /* number of problems of this rank; problems are numbered rank by rank, starting with rank
                                0 */
  int64_t sub_elements;      /* subdivisions of an edge of a triangle; with s of them it has (s + 1)(s + 2) / 2
                                points */
  int dimensions;            /* values per point */
  int record_bytes;          /* size of a value, 13 or 14 bytes; 14 are enough for every double */
  int files;                 /* SILL_EACH or SILL_SHARED */
  int64_t chunk_align_bytes; /* chunks of a shared file begin at multiples of this number; 0: without gaps */
  int align_to_stripes;      /* 1: chunks of a shared file begin at multiples of the stripe size that the file system
                                reports for the folder */
} sill_solution_output;

/* Collective. Creates the folder and, with SILL_EACH, the folders of the problems. Removes the indexes of an earlier
   run's phases in the folder, so that these phases are no longer complete, and the earlier run's descriptions of the
   problems. Errors: usage if ranks were given different outputs, or an invalid one; io, also if another run is using
   the folder. */
int sill_solutions_open(sill_session *session, const sill_solution_output *output, sill_solutions **solutions);
/* Local. Returns which problems this rank has, numbered over all ranks: `*count` problems starting at `*first`. */
int sill_solutions_problems(const sill_solutions *solutions, int64_t *first, int64_t *count);
/* Collective. Writes the files that describe each problem; call it once. `corners` has nine numbers for each of
   `elements` triangles of this rank's problems: x, y, z of corner A, then of B, then of C. `parameters` is any text of
   rank 0; NULL: none. Errors: usage if a triangle is missing, or if a coordinate is not a number below 1e98; io. */
int sill_solutions_write_problem_files(sill_solutions *solutions, const double *corners, int64_t elements,
                                       const char *parameters);
/* Collective. Writes the solutions of output step `step`, which must increase from call to call. `values` has `count`
   values: problem after problem, in each problem point after point, all dimensions of a point together. With
   SILL_COPIED the caller may change `values` after the call, with SILL_LENT after sill_solutions_wait or close. With
   async=k in the policy at most k phases are unfinished when the call returns. The text of unfinished phases is made in
   the background, except for text that other ranks write. An error of an earlier phase is returned by the call for a
   later phase, which is written nevertheless. Errors: usage for another number of values, for a number that is too long
   for its record, if the step differs between ranks or is not above the previous steps (nothing is written in these
   cases); io. Finished phases remain unchanged. */
int sill_solutions_write_phase(sill_solutions *solutions, int64_t step, const double *values, int64_t count,
                               int memory);
/* Collective. Finishes all phases begun so far: their indexes exist, and the caller may change lent values. Errors: as
   sill_solutions_write_phase: returns the first error, after the other phases are finished too. */
int sill_solutions_wait(sill_solutions *solutions);
/* Local. Returns the size of the solution files of one phase in bytes. */
int sill_solutions_phase_bytes(const sill_solutions *solutions, int64_t *bytes);
/* Collective. Finishes all phases. Errors: as sill_solutions_write_phase: returns the first error, after the other
   phases are finished. */
int sill_solutions_close(sill_solutions **solutions);
/* Local. Frees the handle. Unfinished phases may be lost. */
int sill_solutions_free(sill_solutions **solutions);

/* ---- arrays: any distributed arrays in netCDF files, or in files of VTK or raw bytes, step by step ---- */

/* A dataset for writing, and a dataset for reading. In both, each rank first passes its arrays to sill_dataset_put or
   sill_dataset_reader_get; one collective call then writes or reads all of them. */
typedef struct sill_dataset sill_dataset;
typedef struct sill_dataset_reader sill_dataset_reader;

/* The types of elements, in memory and in files: signed (I) and unsigned (U) integers and floats (F) of 1 to 8
   bytes. */
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

/* The treatment of existing files of a dataset: they are an error, they are removed, or they are appended to. */
enum { SILL_REFUSE_EXISTING = 0, SILL_REPLACE_EXISTING = 1, SILL_APPEND_TO_EXISTING = 2 };

/* Options of a dataset, the same on all ranks; 0, NULL or "" is the default. docs/arrays.md describes them. */
typedef struct sill_dataset_options {
  int existing;              /* SILL_REFUSE_EXISTING, ... */
  const char *container;     /* "netcdf", "pnetcdf", "hdf5", "netcdf4", "vtkhdf", "checkpoint", "vti", "vtr", "vts",
                                "tecplot", "zarr" or "raw"; NULL: the container that the ending of `path` selects */
  const int64_t *first_step; /* with SILL_APPEND_TO_EXISTING: the first step to overwrite; NULL: none */
  int version;               /* version of netCDF files: 1, 2 or 5; 0: 2, or 5 if types or sizes need it. This member
                                and the next three apply only to netCDF files */
  int64_t align;             /* alignment of the first variable in bytes; 0: 512 */
  int64_t variable_align;    /* alignment of each variable without steps in bytes; 0: 4 */
  int64_t record_align;      /* alignment of the first step in bytes; 0: 4 */
  int no_fill;               /* 1: fill values, which netCDF, HDF5 and Zarr have, are not written, and ranks must pass
                                all elements */
  int field_data;            /* 1: .vti files store variables that do not fit the grid as field data; 0: an error */
  const char *layout;        /* settings as in SILL_LAYOUT, which replace the members above, and which SILL_LAYOUT
                                replaces: "codec=shuffle+zstd:3,chunks=64x64x64"; "steps=100" for contiguous HDF5 and
                                netCDF-4, and for VTKHDF. NULL: none */
} sill_dataset_options;

/* Collective. Opens a dataset for writing. The next functions describe its file, which sill_dataset_begin creates.
   `options` may be NULL. Errors: usage for invalid options. */
int sill_dataset_open(sill_session *session, const char *path, const sill_dataset_options *options,
                      sill_dataset **dataset);
/* Local. Defines a dimension. Length 0 defines the unlimited dimension, which grows by one with each step. Errors:
   usage after sill_dataset_begin. An invalid name or type is an error of sill_dataset_begin. */
int sill_dataset_define_dimension(sill_dataset *dataset, const char *name, int64_t length);
/* Local. Defines a variable. `dimensions` lists names separated by commas, the slowest first: "time,z,y,x". An empty
   text defines a single value. Errors: as sill_dataset_define_dimension. */
int sill_dataset_define_variable(sill_dataset *dataset, const char *name, int type, const char *dimensions);
/* Local. Sets an attribute to `count` values and replaces an attribute of the same name. `variable` is a variable
   defined before, or NULL for an attribute of the dataset. Errors: as sill_dataset_define_dimension; usage if `count`
   is below 0, or `values` is NULL and `count` is not 0. */
int sill_dataset_define_attribute(sill_dataset *dataset, const char *variable, const char *name, int type,
                                  int64_t count, const void *values);
/* Local. Sets an attribute to a text, as sill_dataset_define_attribute does. Errors: as
   sill_dataset_define_dimension. */
int sill_dataset_define_text(sill_dataset *dataset, const char *variable, const char *name, const char *text);
/* Local. Defines the coordinate variable of a dimension as the CF conventions require: a variable of type SILL_F8 with
   the name of the dimension. `axis`: "T", "X", "Y" or "Z"; `units`: "m", for T "seconds since 2026-01-01 00:00:00";
   `positive`: for Z "up" or "down", otherwise NULL; `standard_name` may be NULL. Errors: usage for other values, and
   after sill_dataset_begin. */
int sill_dataset_define_coordinate(sill_dataset *dataset, const char *dimension, const char *axis, const char *units,
                                   const char *positive, const char *standard_name);
/* Collective. Creates or opens the file; its folder must exist. With SILL_APPEND_TO_EXISTING, a netCDF file for which
   nothing was defined keeps its own description. Errors: usage if ranks were given different paths, descriptions or
   options, if the format cannot store the description, if the file exists and the options do not allow replacing it, or
   if nothing can be appended to the file; input if the file to append to is not a netCDF file or is damaged; io, also
   if another run, or another dataset of this run, is writing the file. */
int sill_dataset_begin(sill_dataset *dataset);
/* Collective. Sets an attribute of a variable, or of the dataset if `variable` is NULL, and replaces an attribute of
   the same name. After the first write this is possible only in netCDF files, and only if the header has room. Errors:
   usage if there is no such variable, if ranks pass different attributes, or if the attribute cannot be changed after
   the first write; io. */
int sill_dataset_set_attribute(sill_dataset *dataset, const char *variable, const char *name, int type, int64_t count,
                               const void *values);
/* Collective. Sets an attribute to a text, as sill_dataset_set_attribute does. */
int sill_dataset_set_text(sill_dataset *dataset, const char *variable, const char *name, const char *text);
/* Local. Passes a box of a variable to the next call that writes. `first` and `count` have `rank` numbers, one for each
   dimension of the variable except the unlimited one, the slowest first. `values` stores the elements of the box
   `stored_first`, `stored_count`, the last dimension fastest; `stored_first` and `stored_count` may be NULL if the
   stored box is the passed box. The values must not change until the next call that writes. Errors: usage if the same
   memory was passed before for the same call, because all boxes of that call would then have the same values. The call
   that writes returns any other error of the arguments, on all ranks. */
int sill_dataset_put(sill_dataset *dataset, const char *variable, int rank, const int64_t *first, const int64_t *count,
                     const int64_t *stored_first, const int64_t *stored_count, int type, const void *values);
/* Local. Passes a copy of the values, so that the caller may change them after this call; otherwise as
   sill_dataset_put. Errors: usage also if the copies that are not yet written or are still lent would need more than
   the memory of the session. */
int sill_dataset_put_copy(sill_dataset *dataset, const char *variable, int rank, const int64_t *first,
                          const int64_t *count, const int64_t *stored_first, const int64_t *stored_count, int type,
                          const void *values);
/* Local. Passes the value of a variable that has no dimensions, or only the unlimited one, for example a time. Only the
   value of rank 0 is used, also before sill_dataset_write_own. It is copied as a double; use sill_dataset_put for
   integers that a double cannot represent. */
int sill_dataset_put_value(sill_dataset *dataset, const char *variable, double value);
/* Local. Passes `count` elements by their numbers, row-major from 0, in any order. `values` must not change until the
   call that writes. Errors: as sill_dataset_put. */
int sill_dataset_put_elements(sill_dataset *dataset, const char *variable, int64_t count, const int64_t *elements,
                              int type, const void *values);
/* Local. Passes a copy of the values as sill_dataset_put_copy does; otherwise as sill_dataset_put_elements. */
int sill_dataset_put_elements_copy(sill_dataset *dataset, const char *variable, int64_t count, const int64_t *elements,
                                   int type, const void *values);
/* Local. Assigns all data passed after this call to the following step. sill_dataset_write_step then completes all
   steps to which data was assigned (two after one call), and sill_dataset_write_own writes to all of them. All ranks
   must call sill_dataset_next_step the same number of times before a sill_dataset_write_step. */
int sill_dataset_next_step(sill_dataset *dataset);
/* Collective. Writes the data passed before the call; variables with steps are written into the next step, without
   completing it. Errors: as sill_dataset_write_step. */
int sill_dataset_write(sill_dataset *dataset, int memory);
/* Collective. Writes the data as sill_dataset_write does, and completes the next step. With SILL_LENT, arrays must not
   change until wait or close. Errors: usage for the data passed: variables that do not exist, boxes outside their
   shapes, elements passed by two ranks, values outside the range of a type; io. After a usage error the step can be
   written again, with all its data, or be left incomplete. After another error, and with async in the policy after any
   error, further calls return the same error. */
int sill_dataset_write_step(sill_dataset *dataset, int memory);
/* Local. Writes the data that this rank passed into a step that was written before, while other ranks continue. Errors:
   as sill_dataset_write_step, on this rank only. */
int sill_dataset_write_own(sill_dataset *dataset, int64_t step);
/* Collective. Returns when all steps are complete. Errors: as sill_dataset_write_step. */
int sill_dataset_wait(sill_dataset *dataset);
/* Local. Returns the number of steps begun, including the steps that the file already had. */
int sill_dataset_steps(const sill_dataset *dataset, int64_t *steps);
/* Collective. Completes and closes the file. Errors: as sill_dataset_write_step; usage if a rank passed
   data that was not written; the file is closed nevertheless. */
int sill_dataset_close(sill_dataset **dataset);
/* Local. Frees the handle. Incomplete steps may be lost. */
int sill_dataset_free(sill_dataset **dataset);

/* Collective. Opens a dataset for reading, also one written by other programs: netCDF, netCDF-4 and HDF5 files,
   .vti, .pvd, .xdmf and .mhd files; .plt files written by Sill. Errors: input; io. */
int sill_dataset_reader_open(sill_session *session, const char *path, sill_dataset_reader **reader);
/* Local. Return the number of complete steps; the length of a dimension, which for the unlimited one is the number of
   steps. Errors: usage if there is no such dimension. */
int sill_dataset_reader_steps(const sill_dataset_reader *reader, int64_t *steps);
int sill_dataset_reader_length(const sill_dataset_reader *reader, const char *dimension, int64_t *length);
/* Local. Returns in `*holds` 1 if step `step`, from 0, contains a variable, otherwise 0: steps of .vti files and raw
   bytes may omit variables. Errors: usage if there is no such variable or step. */
int sill_dataset_reader_holds(const sill_dataset_reader *reader, const char *variable, int64_t step, int *holds);
/* Local. Requests a box of a variable, described as in sill_dataset_put. The next call that reads stores it in
   `values`. */
int sill_dataset_reader_get(sill_dataset_reader *reader, const char *variable, int rank, const int64_t *first,
                            const int64_t *count, const int64_t *stored_first, const int64_t *stored_count, int type,
                            void *values);
/* Local. Requests elements by their numbers, as in sill_dataset_put_elements. */
int sill_dataset_reader_get_elements(sill_dataset_reader *reader, const char *variable, int64_t count,
                                     const int64_t *elements, int type, void *values);
/* Local. Assigns all requests after this call to the following step. */
int sill_dataset_reader_next_step(sill_dataset_reader *reader);
/* Collective. Reads the requested data of variables without steps. Errors: usage if a request does not fit its
   variable, if a variable has steps, or if a value is outside the range of the type in memory; input for elements that
   the file does not contain; io. */
int sill_dataset_reader_read(sill_dataset_reader *reader);
/* Collective. Reads the requested data of step `step`, from 0, and of variables without steps. Errors: as
   sill_dataset_reader_read; usage if there is no such step. */
int sill_dataset_reader_read_step(sill_dataset_reader *reader, int64_t step);
/* Local. Frees the handle. */
int sill_dataset_reader_free(sill_dataset_reader **reader);

/* ---- SEG-Y and Seismic Unix ---- */

enum { SILL_SEGY = 0, SILL_SEISMIC_UNIX = 1 };                                  /* kinds of files */
enum { SILL_BIG = 0, SILL_LITTLE = 1, SILL_PAIRWISE = 2 };                      /* byte orders */
enum { SILL_REV_0 = 0, SILL_REV_1 = 10, SILL_REV_2_0 = 20, SILL_REV_2_1 = 21 }; /* revisions */
enum { SILL_EBCDIC = 0, SILL_ASCII = 1, SILL_UNKNOWN_TEXT = 2 };                /* encodings of text headers */

/* The properties of a file. */
typedef struct sill_file_form {
  int kind;                     /* SILL_SEGY or SILL_SEISMIC_UNIX */
  int byte_order;               /* SILL_BIG, …; the standard allows SILL_LITTLE since revision 2.0 */
  int revision;                 /* SILL_REV_0, …; SILL_REV_0 for a Seismic Unix file */
  int sample_format;            /* the code of bytes 3225-3226: 1 IBM float, 5 IEEE float, … */
  int64_t samples;              /* samples per trace; if lengths vary, samples of each trace that does not state their
                                   number */
  double interval_us;           /* sample interval; not 0 for writing */
  int64_t traces;               /* number of traces in the file */
  int lengths_vary;             /* 1: each trace states its own number of samples. 0 for writing */
  int additional_trace_headers; /* number of additional headers of 240 bytes, after the first header of each trace */
  int sorting_code;             /* bytes 3229-3230 */
  int measurement_system;       /* 1 metres, 2 feet, 0 unknown */
  int text_encoding;            /* SILL_EBCDIC, …; SILL_UNKNOWN_TEXT writes EBCDIC */
  const char *text;             /* for writing: lines of the text header, separated by newlines, at most 40 of at most
                                   80 printable ASCII characters; may be NULL. After reading it is NULL */
} sill_file_form;

typedef struct sill_reader sill_reader;

/* Collective. Opens `count` files as one survey. Its traces are numbered consecutively, in the order of the paths. For
   traces of different lengths an index is used (docs/index-file.md). Errors: usage if there is no path or two paths
   lead to one file; io; input if a file is not a SEG-Y or Seismic Unix file, is truncated, or if the files do not form
   one survey (docs/segy-support.md). */
int sill_reader_open(sill_session *session, const char *const *paths, int64_t count, sill_reader **reader);
/* Assumptions about every file, and the meaning of the names of words. The same on all ranks. Members that are not set
   must be NULL. */
typedef struct sill_input_options {
  const char *assume; /* "byte_order=little,samples=751": overrides the statements of the files, as --assume
                         (docs/commands.md) */
  const char *
      map; /* a preset ("standard", "petrel", "rev2.1-ext1", "su", "text"), or a file of TOML or JSON (docs/words.md) */
} sill_input_options;

/* Collective. Opens files as sill_reader_open does, with assumptions and a map. `options` may be NULL, and is not used
   after the call. Errors: as sill_reader_open; usage for assumptions that no file can meet, and for an invalid map. */
int sill_reader_open_with(sill_session *session, const char *const *paths, int64_t count,
                          const sill_input_options *options, sill_reader **reader);
/* Local. Return the number of files; the properties of file `file`. Errors: usage if there is no such file. */
int sill_reader_files(const sill_reader *reader, int64_t *files);
int sill_reader_form(const sill_reader *reader, int64_t file, sill_file_form *form);
/* Local. Return the number of traces in all files; the number of the file that contains trace `trace`. Errors: usage if
   there is no such trace. */
int sill_reader_traces(const sill_reader *reader, int64_t *traces);
int sill_reader_file_of(const sill_reader *reader, int64_t trace, int64_t *file);
/* Local. Return 1 if all traces have the same length, otherwise 0; the size of a trace with headers and samples in
   bytes, 0 if lengths differ; the size of the longest trace, 0 without traces. */
int sill_reader_is_uniform(const sill_reader *reader, int *is_uniform);
int sill_reader_trace_bytes(const sill_reader *reader, int64_t *bytes);
int sill_reader_longest_trace_bytes(const sill_reader *reader, int64_t *bytes);
/* Local. Return the bytes and the samples of `count` traces starting at `first`, in total. Errors: usage if the traces
   do not exist. */
int sill_reader_bytes_of(const sill_reader *reader, int64_t first, int64_t count, int64_t *bytes);
int sill_reader_samples_of(const sill_reader *reader, int64_t first, int64_t count, int64_t *samples);
/* Local. Read the bytes of a file before its first trace, or after its last one. `*bytes` receives their number; the
   first `capacity` of them are copied to `into`, which may be NULL. Errors: usage if there is no such file; io. */
int sill_reader_file_header(const sill_reader *reader, int64_t file, int64_t capacity, void *into, int64_t *bytes);
int sill_reader_file_trailer(const sill_reader *reader, int64_t file, int64_t capacity, void *into, int64_t *bytes);
/* Local. Reads the text header of a file as UTF-8: 40 lines without trailing blanks, each followed by a newline.
   `*bytes` receives its length; the first `capacity` bytes are copied to `into`, which may be NULL, without a
   terminating NUL. It is empty for a Seismic Unix file. Errors: as sill_reader_file_header. */
int sill_reader_text(const sill_reader *reader, int64_t file, int64_t capacity, char *into, int64_t *bytes);
/* Local. Reads the first 240 bytes of the headers of each of `count` traces starting at `first`. `into` has `bytes`
   bytes, which must be 240 * count. Errors: usage if `bytes` is another number, or if the traces do not exist; io. */
int sill_reader_read_headers(const sill_reader *reader, int64_t first, int64_t count, void *into, int64_t bytes);
/* Local. Reads `count` complete traces (headers and samples) starting at `first`, in the format of the file. `bytes`
   must be the result of sill_reader_bytes_of. Errors: as sill_reader_read_headers. */
int sill_reader_read_own(const sill_reader *reader, int64_t first, int64_t count, void *into, int64_t bytes);
/* Collective. Reads traces as sill_reader_read_own does, but all ranks together as the policy defines. Each rank passes
   its own range; ranges may overlap or be empty. Errors: as sill_reader_read_own. */
int sill_reader_read(const sill_reader *reader, int64_t first, int64_t count, void *into, int64_t bytes);
/* Collective. Reads the samples of each rank's traces as floats, one trace after another, from any format and byte
   order: rounded to nearest where a float has too few digits. `samples` must be the result of sill_reader_samples_of.
   Ranges may overlap or be empty. Needs additional memory for the bytes of the traces. Errors: as sill_reader_read;
   input for a sample outside the range of float, and for samples that contradict the sample format that a file states
   (checked once, in 100 traces of each file): `sill repair --assume sample_format=CODE` corrects the file. */
int sill_reader_read_samples(const sill_reader *reader, int64_t first, int64_t count, float *into, int64_t samples);
/* Local. Return the total bytes of listed traces; their total samples; read these traces completely, as bytes in the
   order of the list; read their samples as floats. The list has `count` trace numbers, in any order and with
   repetitions. Each run of consecutive numbers is read with one request. `bytes` and `samples` must be the results of
   the first two functions. Several threads may call sill_reader_read_list and sill_reader_read_list_samples
   concurrently. Errors: usage for another size of `into`, if a trace does not exist, or if samples are read before a
   call of sill_reader_check_samples; io; input for a sample outside the range of float. */
int sill_reader_bytes_of_list(const sill_reader *reader, const int64_t *traces, int64_t count, int64_t *bytes);
int sill_reader_samples_of_list(const sill_reader *reader, const int64_t *traces, int64_t count, int64_t *samples);
int sill_reader_read_list(const sill_reader *reader, const int64_t *traces, int64_t count, void *into, int64_t bytes);
int sill_reader_read_list_samples(const sill_reader *reader, const int64_t *traces, int64_t count, float *into,
                                  int64_t samples);
/* Collective. Compares samples of about 100 traces of each file with the sample format that the file states. Only the
   first call does so. Errors: input if the samples contradict a format that was not assumed; io. */
int sill_reader_check_samples(const sill_reader *reader);
/* Local. Returns the true values of word `word` in `count` trace headers of `header_bytes` each, stored one after
   another in the byte order of the survey. A true value is the word as the reader's map defines it, with its scalar
   applied (metres from bytes 73-76 and 71-72), or the value in trace header extension 1 where that replaces it.
   `header_bytes` is 240 times the number of headers per trace, or 240. Several threads may call it concurrently.
   Errors: usage if there is no such word, if it is text, if its scalar is not mapped, or if it is outside
   `header_bytes`. */
int sill_reader_true_values(const sill_reader *reader, const char *word, const void *headers, int64_t header_bytes,
                            int64_t count, double *values);
/* Local. Stores each value so that sill_reader_true_values returns it. The scalar that the header states remains
   unchanged; the value is rounded to the nearest one that the word can store with this scalar, ties to even. Errors:
   as sill_reader_true_values; usage for a value that the word cannot store: the headers before that one are already
   written. */
int sill_reader_set_true_values(const sill_reader *reader, const char *word, void *headers, int64_t header_bytes,
                                int64_t count, const double *values);
/* Local. Divides `items` items evenly into one block per rank, with one more item for earlier ranks, and returns the
   block of rank `rank` of `ranks`: `*own` items starting at `*first`. Errors: usage if `items` is below 0, or if there
   is no such rank. */
int sill_block_of(int64_t items, int ranks, int rank, int64_t *first, int64_t *own);
/* Collective. Reads on every rank the values of `keys` of `count` traces starting at `first`, without their samples.
   Keys are words or expressions, separated by commas ("true(sx),true(sy),abs(offset)"; docs/expressions.md). `values`
   has `size` elements, which must be `count` times the number of keys: the values of the first key, trace after trace,
   then the values of the second key, and so on; NaN for text. A minus before a complete key (descending) changes no
   value. Ranges may overlap or be empty. Errors: usage for keys that the survey does not have or that differ between
   ranks, for traces that do not exist, for another size; input if a trace has no such value; io. */
int sill_reader_read_values(const sill_reader *reader, const char *keys, int64_t first, int64_t count, double *values,
                            int64_t size);

/* The smallest and the largest value, and the first traces that have them. Without values, both values are NaN and both
   trace numbers are below 0. */
typedef struct sill_extremes {
  double smallest;
  double largest;
  int64_t smallest_trace;
  int64_t largest_trace;
} sill_extremes;

/* Collective. Returns the smallest and the largest finite value of a key over all traces. Errors: as
   sill_reader_read_values. */
int sill_reader_extremes(const sill_reader *reader, const char *key, sill_extremes *extremes);
/* Collective. Sorts the numbers of all traces by `keys` ("cdp,-offset": a minus means descending, the first key has
   priority); traces with equal keys retain their order. Each rank receives its block of the sorted numbers, as
   sill_block_of defines it: `*count` receives their number, and the first `capacity` of them are stored in `traces`,
   which may be NULL. sill_reader_read_list reads these traces. Errors: as sill_reader_read_values; usage for keys of
   more than 64 bytes. */
int sill_reader_order(const sill_reader *reader, const char *keys, int64_t capacity, int64_t *traces, int64_t *count);
/* Collective. Writes all traces, sorted by `keys`, to `target`, as `sill sort` does. The file appears when it is
   complete. Errors: as sill_reader_order; usage for a target that is an input; io. */
int sill_reader_sort(const sill_reader *reader, const char *keys, const char *target);
/* Collective. Checks that no file has changed since it was opened. Errors: io if a file was changed, replaced or
   edited. */
int sill_reader_require_unchanged(const sill_reader *reader);
/* Collective. Frees the handle. It sends no messages, because reading leaves no errors to report. */
int sill_reader_close(sill_reader **reader);
/* Local. Frees the handle. */
int sill_reader_free(sill_reader **reader);

typedef struct sill_writer sill_writer;

/* Collective. Creates a file of `form->traces` equal traces, and writes its text header and binary header. The file
   appears under its name when it is finished. Errors: usage for values that the form cannot store, for an interval of
   0, or if lengths vary; io. */
int sill_writer_open(sill_session *session, const char *target, const sill_file_form *form, sill_writer **writer);
/* Collective. Creates a file of `traces` equal traces of `trace_bytes` each, after a header of `header_bytes` and
   before a trailer of `trailer_bytes`. The caller passes all of these as bytes, each byte exactly once. Errors: usage
   for a size below 0; io. */
int sill_writer_open_bytes(sill_session *session, const char *target, int64_t header_bytes, int64_t trace_bytes,
                           int64_t traces, int64_t trailer_bytes, sill_writer **writer);
/* Collective. Write the bytes before the first trace (header); the bytes after the last trace (trailer). Only the bytes
   of rank 0 are used. Errors: usage if rank 0 does not pass the number of bytes that was passed to
   sill_writer_open_bytes; io. */
int sill_writer_write_header(sill_writer *writer, const void *from, int64_t bytes);
int sill_writer_write_trailer(sill_writer *writer, const void *from, int64_t bytes);
/* Collective. Writes `count` traces of each rank starting at `first`, headers and samples in the format of the file.
   The ranges of the ranks must be disjoint; a range may be empty. Errors: usage if ranges overlap, or do not fit the
   file or `bytes`; io. */
int sill_writer_write(sill_writer *writer, int64_t first, int64_t count, const void *from, int64_t bytes);
/* Collective. Writes traces as sill_writer_write does, from headers (240 bytes per trace, or more with additional
   headers, in the byte order of the file) and samples as floats. The samples are converted to the form's format:
   rounded to nearest, ties to even. For Seismic Unix the writer sets the number of samples and the interval in the
   headers. Needs additional memory for the bytes of the traces. Errors: as sill_writer_write; usage if the writer was
   opened without a form; input for a sample that the format cannot store. */
int sill_writer_write_samples(sill_writer *writer, int64_t first, int64_t count, const void *headers,
                              int64_t header_bytes, const float *samples, int64_t sample_count);
/* Collective. Write `count` traces by number, in any order, from bytes, or from headers and samples, in the order of
   the list. If a rank lists a number several times, the last entry is used. Different ranks must list different
   numbers. Errors: as sill_writer_write and sill_writer_write_samples. */
int sill_writer_write_list(sill_writer *writer, const int64_t *traces, int64_t count, const void *from, int64_t bytes);
int sill_writer_write_list_samples(sill_writer *writer, const int64_t *traces, int64_t count, const void *headers,
                                   int64_t header_bytes, const float *samples, int64_t sample_count);
/* Local. Return the size of the complete file in bytes; the size of a trace in bytes. */
int sill_writer_file_bytes(const sill_writer *writer, int64_t *bytes);
int sill_writer_longest_trace_bytes(const sill_writer *writer, int64_t *bytes);
/* Collective. Completes the file and gives it its name. Errors: io; then there is no file. */
int sill_writer_finish(sill_writer **writer);
/* Local. Frees the handle and removes the unfinished file. */
int sill_writer_free(sill_writer **writer);

/* Local. Read or write a word of a trace header (240 bytes, in `byte_order`) as stored, without applying a scalar.
   `word` is its name ("cdp", "tracl", "offset"; docs/words.md). Errors: usage if there is no such word, or if it is
   text; for sill_write_word also if the word cannot store the value, and then nothing is written. */
int sill_read_word(const void *header, const char *word, int byte_order, double *value);
int sill_write_word(void *header, const char *word, int byte_order, double value);

/* ---- surveys as streams: a function of the program processes every trace ---- */

/* Consecutive traces in the memory of a thread. The pointers are valid only during the call. */
typedef struct sill_block {
  int64_t count;         /* number of traces */
  int64_t first;         /* position of the first trace in the stream, 0 in an operation of a flow */
  const int64_t *traces; /* number of each trace in the survey, counted over all files */
  void *headers;         /* count * header_bytes bytes, trace after trace, in byte_order */
  int64_t header_bytes;  /* size of all headers of a trace: 240, plus 240 for each additional header */
  int byte_order;        /* SILL_BIG, … */
  int64_t samples;       /* samples per trace; 0: only headers are passed */
  float *values;         /* sample s of trace i: values[i * stride + s] */
  int64_t stride;        /* floats from one trace to the next, `samples` or more */
  int64_t out_samples;   /* samples per trace of the output */
  float *out;            /* if out_samples differs from samples: count * out_samples floats, initially zero, which are
                            written; otherwise NULL: values is changed in place and written */
  double interval_us;    /* sample interval of values */
  int thread;            /* number of the thread of this rank, from 0; 0 in an operation */
  const void *words;     /* used by sill_block_true_values and sill_block_set_true_values */
} sill_block;

/* A function that is called for each block. It returns 0 for success. Any other value ends the stream or flow with an
   error on all ranks: the status is SILL_USAGE, SILL_INPUT or SILL_IO if the function returns one of these, and
   SILL_USAGE for any other number. If a function of sill.h failed on its thread with that status, the error has the
   text of that failure. The function must not call Collective functions. The threads of a rank call it at the same time
   for different blocks, unless the options or the operation set not_thread_safe. */
typedef int (*sill_block_work)(sill_block *block, void *context);

/* Local. Read or set true values for all traces of a block, as sill_reader_true_values and sill_reader_set_true_values
   do. `values` has block->count elements. A thread may call these functions for the block that it received. */
int sill_block_true_values(const sill_block *block, const char *word, double *values);
int sill_block_set_true_values(sill_block *block, const char *word, const double *values);

/* Options of a stream, the same on all ranks. Members that are not set must be 0 or NULL. */
typedef struct sill_stream_options {
  const char *target;    /* the file to write; NULL: none */
  const int64_t *traces; /* traces of the survey to pass, in this order, with repetitions; NULL: all */
  int64_t trace_count;   /* number of elements of traces */
  int sample_format;     /* format of the output, the code of bytes 3225-3226; 0: as in the survey */
  int64_t samples;       /* samples per trace of the output; 0: as in the survey */
  double interval_us;    /* sample interval of the output; 0: as in the survey */
  int headers_only;      /* 1: samples are not decoded but copied unchanged */
  int clip;              /* 1: samples outside the range of the format become its nearest value; 0: an error */
  int not_thread_safe;   /* 1: at most one thread of a rank calls the function at a time */
  const char *history;   /* a line to add to the text header, at most 80 characters; NULL: none */
  int accept_loss;       /* 1: write even if more than a tenth of the samples become 0 or change by more than 5 % in
                            the format; 0: an error */
} sill_stream_options;

typedef struct sill_stream_result {
  int64_t traces;    /* number of traces passed */
  int64_t bytes_out; /* size of the output; 0 without an output */
  int64_t rounded;   /* samples whose value changed in the format of the output */
  int64_t clipped;   /* samples that were outside the range of the output's format */
} sill_stream_result;

/* Collective. Passes all traces of the survey of `reader`, or a list of them, through `work`, in blocks of about 512
   KB. Each trace of the stream is passed exactly once, on one of the ranks, with its headers and its samples as floats.
   The headers and samples that `work` leaves are written to options->target, which appears when it is complete. It has
   the survey's kind, byte order and revision, and the text, binary and extended headers of the first file. Threads of
   each rank read, convert, process and write different blocks at the same time. The bytes of the output do not depend
   on the ranks, the threads or the policy if `work` does not depend on them. Words that state the number of samples or
   the interval are updated if options change these. `options` may be NULL: all traces are passed, and nothing is
   written; `result` may be NULL. Memory: a few MB per thread, or one trace if that is more. Errors: usage for options
   that are invalid or differ between ranks, for traces that do not exist, for a target that is an input; input for
   traces that differ in length, for samples outside the range of float, that the format of the output cannot store, or
   that contradict the sample format of a file; io; any status that `work` returns. After an error there is no
   target. */
int sill_stream_run(const sill_reader *reader, const sill_stream_options *options, sill_block_work work, void *context,
                    sill_stream_result *result);

/* ---- flows: processing operations, planned and run together ---- */

/* Handling of samples of the input that are NaN or infinite, where an operation reads them. */
enum { SILL_NONFINITE_STOP = 0, SILL_NONFINITE_ZERO = 1, SILL_NONFINITE_KEEP = 2 };

/* Options of a flow, the same on all ranks. Members that are not set must be 0 or NULL. */
typedef struct sill_flow_options {
  const char *assume;    /* as in sill_input_options */
  const char *map;       /* as in sill_input_options */
  int sample_format;     /* format of the output, the code of bytes 3225-3226; 0: as in the input */
  int clip;              /* 1: samples outside the range of the format become its nearest value; 0: an error */
  int nonfinite;         /* SILL_NONFINITE_STOP, … */
  int no_history;        /* 1: no lines about the flow are added to the text header */
  const char *scratch;   /* folder of the temporary files between passes; NULL: the folder of the output */
  int accept_loss;       /* 1: write even if more than a tenth of the samples become 0 or change by more than 5 % in
                            the format; 0: an error */
  const char *scale;     /* "fit", or a factor for all samples of the output, as --scale; NULL: none */
  int process_auxiliary; /* 1: operations also process traces that are not seismic data */
  int resume;            /* 1: finished work is retained if the run is interrupted or fails. The next run with this
                            option continues it if inputs, operations and options are the same */
} sill_flow_options;

typedef struct sill_flow_result {
  int64_t traces_in;   /* traces of the input */
  int64_t traces_out;  /* traces of the output */
  int64_t samples_out; /* samples per trace of the output */
  int64_t bytes_out;   /* size of the output */
  int64_t passes;      /* number of passes over the traces */
  int64_t zeroed;      /* samples of the input that were not finite and were set to 0 */
  const char *notes;   /* counts and reports of operations, one line each ("minmax: samples from ..."), the same on all
                          ranks; valid until the next flow of the session or its end */
} sill_flow_result;

/* Collective. Applies the operations of `flow` ("agc 500ms; mute top at=300ms"; `sill flow --list` lists them), in
   their order, to the survey of `count` files. Writes the result to `output`, which appears when it is complete. If
   `output` is NULL or empty, nothing is written; this is for operations that report (result->notes). `options` and
   `result` may be NULL. Errors: as sill_reader_open_with; usage for text that is not a flow, for parameters that the
   survey does not allow, for an output that is an input, for a gather that does not fit into the memory; input for
   samples that are not finite or that the format of the output cannot store, and for data that operations reject;
   io. */
int sill_flow_run(sill_session *session, const char *const *inputs, int64_t count, const char *output, const char *flow,
                  const sill_flow_options *options, sill_flow_result *result);

/* The traces that an operation receives in one call. */
enum {
  SILL_EACH_TRACE = 0, /* any number of consecutive traces, which are processed independently */
  SILL_GATHER = 1      /* all traces with equal keys */
};

/* An operation of the program. Planning uses only the declarations in this structure. Members that are not set must be
   0 or NULL. */
typedef struct sill_operation {
  const char *name;    /* name in flows: a letter, then letters, digits and underscores */
  const char *summary; /* one line for errors of sill_flow_run and lists of operations; NULL: none */
  int scope;           /* SILL_EACH_TRACE or SILL_GATHER */
  const char *keys;    /* for SILL_GATHER: "cdp", "iline,xline" (docs/expressions.md); NULL: the parameter by=KEY,KEY of
                          the flow, or the first key of the preceding sort */
  const char *reads_words;     /* words of trace headers that the operation reads, "offset,sx"; NULL: none */
  const char *writes_words;    /* words of trace headers that the operation changes; NULL: none */
  int reads_samples;           /* 1: the operation reads samples */
  int writes_samples;          /* 1: the operation changes samples */
  int changes_amplitudes;      /* 1: the operation changes the scale of samples; integer formats need sample_format or
                                  scale */
  int64_t memory_bytes;        /* memory that the operation needs per trace of a block, in addition to the block */
  int not_thread_safe;         /* 1: at most one thread of a rank calls `run` and `edit_header` at a time */
  sill_block_work run;         /* changes samples and, with SILL_GATHER, headers; may be NULL with SILL_EACH_TRACE if
                                  the operation neither reads nor changes samples */
  sill_block_work edit_header; /* with SILL_EACH_TRACE, for an operation that changes words: changes the headers of the
                                  only trace of the block, which has no samples. It is called separately from `run`,
                                  possibly twice and before samples are read. NULL: none */
  void *context;               /* passed to `run` and `edit_header` */
} sill_operation;

/* Local. Adds an operation to the operations that flows of this process may name. Every rank must add the same
   operations before it runs a flow with them. Must not be called while a flow runs. Names and lists are copied; the
   functions and the context must remain valid as long as flows are run. Samples of a trace are written in the format of
   the output if the operation declares that it writes samples. Errors: usage for a name that exists already or is not
   valid, for declarations that contradict each other. Words that the survey does not have are an error of
   sill_flow_run. */
int sill_flow_add_operation(const sill_operation *operation);

#ifdef __cplusplus
}
#endif
#endif
