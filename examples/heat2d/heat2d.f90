! Heat in a plane, distributed to the ranks in rows. Every 10th step is written to a netCDF file: heat2d_fortran FILE
program heat2d
  use mpi
  use sill
  implicit none
  integer, parameter :: nx = 40, ny = 60, steps = 40, every = 10
  integer :: rank, ranks, before, after, first, rows, step, x, y, ierr
  real, allocatable, target :: t(:, :)
  real, allocatable :: next(:, :)
  real :: around
  character(len=4096) :: path
  type(sill_session) :: session
  type(sill_dataset) :: output

  if (command_argument_count() /= 1) then
    print '(a)', 'usage: heat2d_fortran FILE'
    stop 2
  end if
  call get_command_argument(1, path)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  after = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
  first = ny * rank / ranks
  rows = ny * (rank + 1) / ranks - first
  allocate (t(0:nx + 1, 0:rows + 1), source=0.)  ! with ghost points
  allocate (next, source=t)
  if (first <= ny / 3 .and. ny / 3 < first + rows) t(nx / 2 + 1, ny / 3 - first + 1) = 1000

  call sill_session_open(MPI_COMM_WORLD, session)
  call sill_dataset_open(session, output, path, existing=SILL_REPLACE_EXISTING)
  call sill_dataset_define_dimension(output, 'time', 0)
  call sill_dataset_define_dimension(output, 'y', ny)
  call sill_dataset_define_dimension(output, 'x', nx)
  call sill_dataset_define_text(output, 'title', 'heat in a plane')
  call sill_dataset_define_variable(output, 'time', SILL_F8, 'time')
  call sill_dataset_define_text(output, 'units', 's', variable='time')
  call sill_dataset_define_variable(output, 'temperature', SILL_F4, 'x,y,time')
  call sill_dataset_define_text(output, 'units', 'K', variable='temperature')
  call sill_dataset_begin(output)
  do step = 1, steps
    call MPI_Sendrecv(t(0, 1), nx + 2, MPI_REAL, before, 0, t(0, rows + 1), nx + 2, MPI_REAL, after, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(t(0, rows), nx + 2, MPI_REAL, after, 1, t(0, 0), nx + 2, MPI_REAL, before, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do y = 1, rows
      do x = 1, nx
        around = (t(x, y - 1) + t(x, y + 1)) + (t(x - 1, y) + t(x + 1, y))
        next(x, y) = t(x, y) + 0.125 * (around - 4 * t(x, y))
      end do
    end do
    t(1:nx, 1:rows) = next(1:nx, 1:rows)
    if (mod(step, every) /= 0) cycle
    call sill_dataset_put_value(output, 'time', 0.5d0 * step)
    call sill_dataset_put(output, 'temperature', t, [1, first + 1], [nx, rows], [0, first], [nx + 2, rows + 2])
    call sill_dataset_write_step(output)
  end do
  call sill_dataset_close(output)
  call sill_session_free(session)
  call MPI_Finalize(ierr)
end program
