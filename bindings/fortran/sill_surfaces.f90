! Surface output.
module sill_surfaces_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use sill_c_module
  use sill_session_module
  use sill_grids_module
  implicit none
  private

  type, public :: sill_surfaces
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: sill_surfaces_open, sill_surfaces_write_phase, sill_surfaces_wait, sill_surfaces_phase_bytes, &
            sill_surfaces_close, sill_surfaces_free

contains

  ! Collective. Dimensions are x, y, z. `first` and `count`: the points that this rank writes; `stored_first` and
  ! `stored_count`: the points in its arrays, if these are others. Omit the index of a plane to omit the plane.
  subroutine sill_surfaces_open(session, surfaces, shape, first, count, stored_first, stored_count, order, prefix, &
                                xy_at_z, xz_at_y, yz_at_x, first_plane_row, plane_rows, origin, spacing, displacement, &
                                continues_after, ierr)
    type(sill_session), intent(in) :: session
    type(sill_surfaces), intent(inout), target :: surfaces
    integer, intent(in) :: shape(3), first(3), count(3)
    integer, intent(in), optional :: stored_first(3), stored_count(3)
    integer, intent(in), optional :: order                       ! SILL_X_FASTEST
    character(len=*), intent(in), optional :: prefix             ! none
    integer, intent(in), optional :: xy_at_z, xz_at_y, yz_at_x
    integer, intent(in), optional :: first_plane_row, plane_rows  ! 1; all following rows
    real(real64), intent(in), optional :: origin(3), spacing(3)   ! of point (1, 1, 1): 0; 1
    logical, intent(in), optional :: displacement                 ! .false.
    integer, intent(in), optional :: continues_after              ! 0: no file is removed
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: named(:)
    integer(c_int64_t), target :: at(3)
    type(c_surface_options) :: options
    call keep_text(named, prefix, '')
    options%prefix = c_loc(named)
    options%xy_at_z = plane(at(1), xy_at_z)
    options%xz_at_y = plane(at(2), xz_at_y)
    options%yz_at_x = plane(at(3), yz_at_x)
    options%first_plane_row = 0
    if (present(first_plane_row)) options%first_plane_row = first_plane_row - 1
    options%plane_rows = 0
    if (present(plane_rows)) options%plane_rows = plane_rows
    options%origin = 0
    if (present(origin)) options%origin = origin
    options%spacing = 1
    if (present(spacing)) options%spacing = spacing
    options%displacement = 0
    if (present(displacement)) options%displacement = merge(1, 0, displacement)
    options%order = SILL_X_FASTEST
    if (present(order)) options%order = order
    options%continues_after = 0
    if (present(continues_after)) options%continues_after = continues_after
    call tell_status(c_surfaces_open(session%handle, grid_of(shape, first, count, stored_first, stored_count), &
                                     options, place_for(surfaces%handle)), ierr)
  end subroutine

  ! Collective. The arrays are array(x, y, z), or array(z, y, x) as passed to sill_surfaces_open; omit displacement if
  ! sill_surfaces_open did not request it. With `memory` SILL_LENT the arrays must be contiguous, and must not change
  ! until sill_surfaces_wait. With async in the policy, the call may return an error of an earlier phase; this phase is
  ! written nevertheless.
  subroutine sill_surfaces_write_phase(surfaces, step, vx, vy, vz, dx, dy, dz, memory, ierr)
    type(sill_surfaces), intent(in) :: surfaces
    integer, intent(in) :: step
    real(real32), intent(in), contiguous, target :: vx(:, :, :), vy(:, :, :), vz(:, :, :)
    real(real32), intent(in), contiguous, target, optional :: dx(:, :, :), dy(:, :, :), dz(:, :, :)
    integer, intent(in), optional :: memory  ! SILL_COPIED
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: points
    integer(c_int) :: as
    points = size(vx, kind=c_int64_t)
    as = SILL_COPIED
    if (present(memory)) as = int(memory, c_int)
    call tell_status(c_surfaces_write_phase(surfaces%handle, int(step, c_int64_t), points, place_of(points, vx), &
                                            place_of(points, vy), place_of(points, vz), place_of(points, dx), &
                                            place_of(points, dy), place_of(points, dz), as), ierr)
  end subroutine

  ! Collective.
  subroutine sill_surfaces_wait(surfaces, ierr)
    type(sill_surfaces), intent(in) :: surfaces
    integer, intent(out), optional :: ierr
    call tell_status(c_surfaces_wait(surfaces%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_surfaces_phase_bytes(surfaces, bytes, ierr)
    type(sill_surfaces), intent(in) :: surfaces
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: ierr
    call tell_status(c_surfaces_phase_bytes(surfaces%handle, bytes), ierr)
  end subroutine

  ! Collective.
  subroutine sill_surfaces_close(surfaces, ierr)
    type(sill_surfaces), intent(inout) :: surfaces
    integer, intent(out), optional :: ierr
    call tell_status(c_surfaces_close(surfaces%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_surfaces_free(surfaces, ierr)
    type(sill_surfaces), intent(inout) :: surfaces
    integer, intent(out), optional :: ierr
    call tell_status(c_surfaces_free(surfaces%handle), ierr)
  end subroutine

  ! Converts the index of a plane, from 1, for C: the address of the index from 0.
  function plane(kept, index) result(address)
    integer(c_int64_t), intent(out), target :: kept
    integer, intent(in), optional :: index
    type(c_ptr) :: address
    kept = 0
    address = c_null_ptr
    if (.not. present(index)) return
    kept = index - 1
    address = c_loc(kept)
  end function
end module
