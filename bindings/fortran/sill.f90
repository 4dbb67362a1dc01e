! Sill for programs in Fortran: output of simulations, SEG-Y and Seismic Unix files, by all ranks of an MPI communicator
! together. It is a thin module over the C interface, sill.h, where each procedure is described under the same name:
! what it does, whether it is Collective or Local, its units, its errors. What is different here:
!
!   - `ierr` is optional and always last: 0, or a status of sill.h, whose text sill_error_text() returns. Without
!     it, an error ends the program: its text on the error unit, then ERROR STOP.
!   - A variable is opened once until it is closed, finished or freed: opening one that is open is an error on all ranks.
!   - Points, stations, components, traces and files count from 1, as elements of arrays do. Ranks count from 0, as in
!     MPI; steps are what the program calls them.
!   - Indices and numbers of points, steps, components and ranks are default integers; numbers of traces, samples and
!     bytes are integer(int64).
!   - Arrays of surfaces are array(x, y, z), unless `order` is SILL_Z_FASTEST: then array(z, y, x). Headers are
!     headers(240, traces), samples are samples(of a trace, traces).
!   - What a structure holds in C are arguments with keywords here; those that may be left out are optional. Blanks at
!     the end of texts do not count.
!   - Dimensions of datasets are named, and indices and counts given, the fastest first: 'x,y,z,time'.
!   - Functions that are called with blocks are subroutines of the interface sill_block_work; threads call them at the
!     same time, so they are recursive and change no variables that they share, unless not_thread_safe=.true. is given.
!   - A communicator is the INTEGER of `use mpi` and mpif.h, or the type(MPI_Comm) of `use mpi_f08`.
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
