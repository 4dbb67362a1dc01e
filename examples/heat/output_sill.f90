! After: every rank states once which points it has, and passes its arrays unchanged.
module output
  use sill
  implicit none
  type(sill_session), private :: session
  type(sill_surfaces), private :: surfaces

contains

  ! The arrays have a ghost point before and after the slab along z. An error ends the run.
  subroutine output_open(comm, shape, first, count, prefix)
    integer, intent(in) :: comm, shape(3), first, count
    character(len=*), intent(in) :: prefix
    call sill_session_open(comm, session)
    call sill_surfaces_open(session, surfaces, shape, first=[1, 1, first], count=[shape(1), shape(2), count], &
                            stored_first=[1, 1, first - 1], stored_count=[shape(1), shape(2), count + 2], &
                            prefix=prefix, xz_at_y=shape(2) / 2)
  end subroutine

  subroutine output_write(step, qx, qy, qz)
    integer, intent(in) :: step
    real, intent(in), contiguous, dimension(:, :, :) :: qx, qy, qz
    call sill_surfaces_write_phase(surfaces, step, qx, qy, qz)
  end subroutine

  subroutine output_close()
    call sill_surfaces_close(surfaces)
    call sill_session_finish(session)
  end subroutine
end module
