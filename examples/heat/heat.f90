! Heat in a box, distributed to the ranks in slabs. Every 10th step writes the heat flux in the middle plane: heat PREFIX
program heat
  use mpi
  use output
  implicit none
  integer, parameter :: nx = 48, ny = 40, nz = 32, steps = 40, every = 10
  integer :: level, rank, ranks, ierr, step, first, count, x, y, z
  real, allocatable, dimension(:, :, :) :: t, next, qx, qy, qz
  character(len=200) :: prefix

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, prefix)
  first = nz * rank / ranks + 1
  count = nz * (rank + 1) / ranks - first + 1
  allocate (t(nx, ny, 0:count + 1), source=0.)
  allocate (next, qx, qy, qz, source=t)
  if (nz / 2 >= first .and. nz / 2 < first + count) t(nx / 3, ny / 2, nz / 2 - first + 1) = 1000

  call output_open(MPI_COMM_WORLD, [nx, ny, nz], first, count, prefix)
  do step = 1, steps
    call exchange_ghosts(t)
    do z = 1, count
      do y = 2, ny - 1
        do x = 2, nx - 1
          next(x, y, z) = t(x, y, z) + 0.125 * (t(x + 1, y, z) + t(x - 1, y, z) + t(x, y + 1, z) + t(x, y - 1, z) &
                                                + t(x, y, z + 1) + t(x, y, z - 1) - 6 * t(x, y, z))
          qx(x, y, z) = t(x - 1, y, z) - t(x + 1, y, z)
          qy(x, y, z) = t(x, y - 1, z) - t(x, y + 1, z)
          qz(x, y, z) = t(x, y, z - 1) - t(x, y, z + 1)
        end do
      end do
    end do
    t = next
    if (mod(step, every) == 0) call output_write(step, qx, qy, qz)
  end do
  call output_close()
  call MPI_Finalize(ierr)

contains

  subroutine exchange_ghosts(t)
    real, intent(inout) :: t(nx, ny, 0:count + 1)
    integer :: before, after
    before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    after = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
    call MPI_Sendrecv(t(1, 1, 1), nx * ny, MPI_REAL, before, 0, t(1, 1, count + 1), nx * ny, MPI_REAL, after, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(t(1, 1, count), nx * ny, MPI_REAL, after, 1, t(1, 1, 0), nx * ny, MPI_REAL, before, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
