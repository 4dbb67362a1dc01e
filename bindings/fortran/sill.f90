! Sill for programs in Fortran: output of simulations, SEG-Y and Seismic Unix files, by all ranks of an MPI communicator
! together. The module is a thin layer over the C interface. sill.h describes each procedure under the same name: what
! it does, whether it is Collective or Local, its units and its errors. Differences from C:
!
!   - `ierr` is optional and always the last argument. It receives 0 or an error status of sill.h;
!     sill_error_text() returns the message. Without `ierr`, an error prints its message on the error unit and ends
!     the program with ERROR STOP.
!   - Opening a variable that is already open (not yet closed, finished or freed) is an error on all ranks.
!   - Points, stations, components, traces and files are counted from 1, like array elements. Ranks are counted from 0,
!     as in MPI. Steps have the numbers that the program gives them.
!   - Indices and numbers of points, steps, components and ranks are default integers; numbers of traces, samples and
!     bytes are integer(int64).
!   - Arrays of surfaces are array(x, y, z), unless `order` is SILL_Z_FASTEST: then array(z, y, x). Headers are
!     headers(240, traces), samples are samples(samples per trace, traces).
!   - The members of a C structure are keyword arguments here; members with a default are optional. Trailing blanks of
!     texts are ignored.
!   - Names of dimensions, indices and counts of datasets begin with the fastest dimension: 'x,y,z,time'.
!   - Callbacks for blocks are subroutines of the interface sill_block_work. Several threads call them concurrently, so
!     they must be recursive and must not change shared variables, unless not_thread_safe=.true. is given.
!   - A communicator is an INTEGER of `use mpi` and mpif.h, or a type(MPI_Comm) of `use mpi_f08`.
module sill
  use sill_session_module
  use sill_grids_module, only: SILL_Z_FASTEST, SILL_X_FASTEST, SILL_COPIED, SILL_LENT
  use sill_stations_module
  use sill_surfaces_module
  use sill_records_module
  use sill_volumes_module
  use sill_solutions_module
  use sill_datasets_module
  use sill_segy_module
  use sill_streams_module
  use sill_flows_module
  implicit none
  public
end module
