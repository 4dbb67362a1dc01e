! Volume output.
module sill_volumes_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32
  use sill_c_module
  use sill_session_module
  use sill_grids_module
  implicit none
  private

  integer, parameter, public :: SILL_SURFACE_AT_FIRST_Z = 0, SILL_SURFACE_AT_LAST_Z = 1

  type, public :: sill_volumes
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: sill_volumes_open, sill_volumes_write_step, sill_volumes_wait, sill_volumes_kept_bytes, &
            sill_volumes_batch_bytes, sill_volumes_batches, sill_volumes_close, sill_volumes_free

contains

  ! Collective. Dimensions are x, y, z. `first` and `count`: the points that this rank writes; `stored_first` and
  ! `stored_count`: the points in its arrays, if these are others. The files contain the points from `kept_first` to
  ! `kept_last` (0: the last of the grid), every `kept_skip`-th; z counts down from the surface.
  subroutine sill_volumes_open(session, volumes, shape, first, count, stored_first, stored_count, order, prefix, &
                               components, kept_first, kept_last, kept_skip, steps_per_sample, samples_per_file, &
                               first_step, surface, continues_after, ierr)
    type(sill_session), intent(in) :: session
    type(sill_volumes), intent(inout), target :: volumes
    integer, intent(in) :: shape(3), first(3), count(3)
    integer, intent(in), optional :: stored_first(3), stored_count(3)
    integer, intent(in), optional :: order                                     ! SILL_X_FASTEST
    character(len=*), intent(in), optional :: prefix                           ! none
    character(len=*), intent(in), optional :: components                       ! 'XYZ'
    integer, intent(in), optional :: kept_first(3), kept_last(3), kept_skip(3) ! all points
    integer, intent(in), optional :: steps_per_sample, samples_per_file            ! 1, 1
    integer, intent(in), optional :: first_step                                ! 1
    integer, intent(in), optional :: surface                                   ! SILL_SURFACE_AT_LAST_Z
    integer, intent(in), optional :: continues_after                           ! 0: a new run
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: named(:), written(:)
    type(c_volume_options) :: options
    call keep_text(named, prefix, '')
    call keep_text(written, components, 'XYZ')
    options%prefix = c_loc(named)
    options%components = c_loc(written)
    options%kept_first = 0
    if (present(kept_first)) options%kept_first = kept_first - 1
    options%kept_last = -1
    if (present(kept_last)) options%kept_last = kept_last - 1
    options%kept_skip = 1
    if (present(kept_skip)) options%kept_skip = kept_skip
    options%steps_per_sample = 1
    if (present(steps_per_sample)) options%steps_per_sample = steps_per_sample
    options%samples_per_file = 1
    if (present(samples_per_file)) options%samples_per_file = samples_per_file
    options%first_step = 1
    if (present(first_step)) options%first_step = first_step
    options%order = SILL_X_FASTEST
    if (present(order)) options%order = order
    options%surface = SILL_SURFACE_AT_LAST_Z
    if (present(surface)) options%surface = surface
    options%continues_after = 0
    if (present(continues_after)) options%continues_after = continues_after
    call tell_status(c_volumes_open(session%handle, grid_of(shape, first, count, stored_first, stored_count), options, &
                                    place_for(volumes%handle)), ierr)
  end subroutine

  ! Collective. The arrays are array(x, y, z), or array(z, y, x) as passed to sill_volumes_open; omit
  ! those of components without files. With `memory` SILL_LENT the arrays must be contiguous, and must not change until
  ! sill_volumes_wait. With async in the policy, the call may return an error of an earlier batch; this batch is written
  ! nevertheless.
  subroutine sill_volumes_write_step(volumes, step, x, y, z, memory, ierr)
    type(sill_volumes), intent(in) :: volumes
    integer, intent(in) :: step
    real(real32), intent(in), contiguous, target, optional :: x(:, :, :), y(:, :, :), z(:, :, :)
    integer, intent(in), optional :: memory  ! SILL_COPIED
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: points
    integer(c_int) :: as
    points = 0
    if (present(x)) points = size(x, kind=c_int64_t)
    if (present(y)) points = size(y, kind=c_int64_t)
    if (present(z)) points = size(z, kind=c_int64_t)
    as = SILL_COPIED
    if (present(memory)) as = int(memory, c_int)
    call tell_status(c_volumes_write_step(volumes%handle, int(step, c_int64_t), points, place_of(points, x), &
                                          place_of(points, y), place_of(points, z), as), ierr)
  end subroutine

  ! Collective.
  subroutine sill_volumes_wait(volumes, ierr)
    type(sill_volumes), intent(in) :: volumes
    integer, intent(out), optional :: ierr
    call tell_status(c_volumes_wait(volumes%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_volumes_kept_bytes(volumes, bytes, ierr)
    type(sill_volumes), intent(in) :: volumes
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_volumes_kept_bytes(volumes%handle, bytes), ierr)
  end subroutine

  ! Local.
  subroutine sill_volumes_batch_bytes(volumes, bytes, ierr)
    type(sill_volumes), intent(in) :: volumes
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_volumes_batch_bytes(volumes%handle, bytes), ierr)
  end subroutine

  ! Local.
  subroutine sill_volumes_batches(volumes, batches, ierr)
    type(sill_volumes), intent(in) :: volumes
    integer(int64), intent(out) :: batches
    integer, intent(out), optional :: ierr
    call tell_status(c_volumes_batches(volumes%handle, batches), ierr)
  end subroutine

  ! Collective.
  subroutine sill_volumes_close(volumes, ierr)
    type(sill_volumes), intent(inout) :: volumes
    integer, intent(out), optional :: ierr
    call tell_status(c_volumes_close(volumes%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_volumes_free(volumes, ierr)
    type(sill_volumes), intent(inout) :: volumes
    integer, intent(out), optional :: ierr
    call tell_status(c_volumes_free(volumes%handle), ierr)
  end subroutine
end module
