! Arrays in netCDF files.
module sill_datasets_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use sill_c_module
  use sill_session_module
  use sill_grids_module, only: SILL_COPIED
  implicit none
  private

  integer, parameter, public :: SILL_I1 = 0, SILL_I2 = 1, SILL_I4 = 2, SILL_I8 = 3
  integer, parameter, public :: SILL_U1 = 4, SILL_U2 = 5, SILL_U4 = 6, SILL_U8 = 7
  integer, parameter, public :: SILL_F4 = 8, SILL_F8 = 9, SILL_CHARACTER = 10
  integer, parameter, public :: SILL_REFUSE_EXISTING = 0, SILL_REPLACE_EXISTING = 1, SILL_APPEND_TO_EXISTING = 2

  type, public :: sill_dataset
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: sill_dataset_reader
    type(c_ptr) :: handle = c_null_ptr
  end type

  public :: sill_dataset_open, sill_dataset_define_dimension, sill_dataset_define_variable, &
            sill_dataset_define_attribute, sill_dataset_define_text, sill_dataset_define_coordinate, &
            sill_dataset_begin, sill_dataset_set_attribute, sill_dataset_set_text, sill_dataset_put, &
            sill_dataset_put_copy, &
            sill_dataset_put_value, sill_dataset_put_elements, sill_dataset_put_elements_copy, sill_dataset_next_step, &
            sill_dataset_write, sill_dataset_write_step, &
            sill_dataset_write_own, sill_dataset_wait, sill_dataset_steps, sill_dataset_close, sill_dataset_free
  public :: sill_dataset_reader_open, sill_dataset_reader_steps, sill_dataset_reader_length, &
            sill_dataset_reader_holds, &
            sill_dataset_reader_get, sill_dataset_reader_get_elements, sill_dataset_reader_next_step, &
            sill_dataset_reader_read, sill_dataset_reader_read_step, sill_dataset_reader_free

  ! Local. Defines a dimension; its length is integer(int32) or integer(int64). Length 0 makes it the unlimited
  ! dimension, which grows by one with each step.
  interface sill_dataset_define_dimension
    module procedure define_dimension, define_long_dimension
  end interface
  ! Local. Sets an attribute of a variable, or of the dataset without `variable`, to one value or several values.
  interface sill_dataset_define_attribute
    module procedure attribute_i1, attribute_i2, attribute_i4, attribute_i8, attribute_f4, attribute_f8
  end interface
  ! Collective. Sets or replaces an attribute. After the first write, this is possible only in netCDF files, and only
  ! if the header has enough room.
  interface sill_dataset_set_attribute
    module procedure set_attribute_i1, set_attribute_i2, set_attribute_i4, set_attribute_i8, set_attribute_f4, &
      set_attribute_f8
  end interface
  ! Local. Passes a box to the next call that writes. `first` and `count` have one number for each dimension of the
  ! variable except the unlimited one, fastest dimension first. `values` is a contiguous array of any rank with the
  ! elements of this box, or of the box `stored_first`, `stored_count` that contains it. It must be a target or a
  ! pointer, and must not change until that call. Pass expressions and other arrays to sill_dataset_put_copy. Indices
  ! and counts are integer(int32) or integer(int64).
  interface sill_dataset_put
    module procedure put_i1, put_i2, put_i4, put_i8, put_f4, put_f8
    module procedure put_long_i1, put_long_i2, put_long_i4, put_long_i8, put_long_f4, put_long_f8
  end interface
  ! Local. The same for any expression, which is copied.
  interface sill_dataset_put_copy
    module procedure put_copy_i1, put_copy_i2, put_copy_i4, put_copy_i8, put_copy_f4, put_copy_f8
    module procedure put_copy_long_i1, put_copy_long_i2, put_copy_long_i4, put_copy_long_i8, put_copy_long_f4, put_copy_long_f8
  end interface
  ! Local. Passes the value of a variable that has no dimension other than the unlimited one, such as a time. The value
  ! of rank 0 is copied and written; those of other ranks are ignored.
  interface sill_dataset_put_value
    module procedure put_value_i4, put_value_f4, put_value_f8
  end interface
  ! Local. Passes elements by their indices in the flattened array of the variable, from 1. `values` is as in
  ! sill_dataset_put.
  interface sill_dataset_put_elements
    module procedure put_elements_i1, put_elements_i2, put_elements_i4, put_elements_i8, put_elements_f4, &
      put_elements_f8
  end interface
  ! Local. The same for any expression, which is copied.
  interface sill_dataset_put_elements_copy
    module procedure put_elements_copy_i1, put_elements_copy_i2, put_elements_copy_i4, put_elements_copy_i8, &
      put_elements_copy_f4, put_elements_copy_f8
  end interface
  ! Local. Requests a box with arguments as in sill_dataset_put. The next call that reads stores it in `values`, which
  ! must be a target or exist until then.
  interface sill_dataset_reader_get
    module procedure get_i1, get_i2, get_i4, get_i8, get_f4, get_f8
    module procedure get_long_i1, get_long_i2, get_long_i4, get_long_i8, get_long_f4, get_long_f8
  end interface
  ! Local. The same for elements by their indices, from 1.
  interface sill_dataset_reader_get_elements
    module procedure get_elements_i1, get_elements_i2, get_elements_i4, get_elements_i8, get_elements_f4, &
      get_elements_f8
  end interface

contains

  ! Collective. Begins the description of a file, which sill_dataset_begin creates.
  subroutine sill_dataset_open(session, dataset, path, existing, first_step, version, align, variable_align, &
                               record_align, fill, container, field_data, layout, ierr)
    type(sill_session), intent(in) :: session
    type(sill_dataset), intent(inout), target :: dataset
    character(len=*), intent(in) :: path
    integer, intent(in), optional :: existing                             ! SILL_REFUSE_EXISTING
    integer, intent(in), optional :: first_step                           ! after the last of the file
    integer, intent(in), optional :: version                              ! 2, or 5 if types or sizes require it
    integer, intent(in), optional :: align, variable_align, record_align  ! 512, 4, 4
    logical, intent(in), optional :: fill                                 ! .true.
    character(len=*), intent(in), optional :: container                   ! determined by the ending of the path
    logical, intent(in), optional :: field_data                           ! .false.
    character(len=*), intent(in), optional :: layout                      ! settings as in SILL_LAYOUT: 'steps=100'
    integer, intent(out), optional :: ierr
    type(c_dataset_options) :: options
    integer(c_int64_t), target :: first
    character(kind=c_char), allocatable, target :: name(:), settings(:)
    options = c_dataset_options(0, c_null_ptr, c_null_ptr, 0, 0, 0, 0, 0, 0, c_null_ptr)
    call keep_text(name, container, '')
    if (present(container)) options%container = c_loc(name(1))
    call keep_text(settings, layout, '')
    if (present(layout)) options%layout = c_loc(settings(1))
    if (present(existing)) options%existing = int(existing, c_int)
    if (present(first_step)) then
      first = first_step
      options%first_step = c_loc(first)
    end if
    if (present(version)) options%version = int(version, c_int)
    if (present(align)) options%align = align
    if (present(variable_align)) options%variable_align = variable_align
    if (present(record_align)) options%record_align = record_align
    if (present(fill)) options%no_fill = merge(0_c_int, 1_c_int, fill)
    if (present(field_data)) options%field_data = merge(1_c_int, 0_c_int, field_data)
    call tell_status(c_dataset_open(session%handle, c_text(path), options, place_for(dataset%handle)), ierr)
  end subroutine

  subroutine define_dimension(dataset, name, length, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: name
    integer(int32), intent(in) :: length
    integer, intent(out), optional :: ierr
    call define_long_dimension(dataset, name, int(length, int64), ierr)
  end subroutine

  subroutine define_long_dimension(dataset, name, length, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: name
    integer(int64), intent(in) :: length
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_define_dimension(dataset%handle, c_text(name), int(length, c_int64_t)), ierr)
  end subroutine

  ! Local. Defines a variable with `dimensions`: names separated by commas, fastest first: 'x,y,z,time'.
  subroutine sill_dataset_define_variable(dataset, name, type, dimensions, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: name, dimensions
    integer, intent(in) :: type
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: rest, slowest_first
    integer :: comma
    slowest_first = ''
    rest = trim(dimensions)
    do while (len(rest) > 0)
      comma = index(rest, ',', back=.true.)
      slowest_first = slowest_first // rest(comma + 1:)
      if (comma > 0) slowest_first = slowest_first // ','
      rest = rest(:max(comma - 1, 0))
    end do
    call tell_status(c_dataset_define_variable(dataset%handle, c_text(name), int(type, c_int), c_text(slowest_first)), &
                     ierr)
  end subroutine

  ! Local. Sets an attribute of a variable, or of the dataset without `variable`, to a text.
  subroutine sill_dataset_define_text(dataset, name, text, variable, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: name, text
    character(len=*), intent(in), optional :: variable
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable :: of(:)
    call keep_text(of, variable, '')
    call tell_status(c_dataset_define_text(dataset%handle, of, c_text(name), c_text(text)), ierr)
  end subroutine

  ! Local. Defines the coordinate variable of a dimension by the CF conventions: a variable of type SILL_F8 with the
  ! name of the dimension. `axis`: 'T', 'X', 'Y' or 'Z'; `units`: such as 'm', or for T 'seconds since 2026-01-01
  ! 00:00:00'; `positive`: 'up' or 'down', for Z.
  subroutine sill_dataset_define_coordinate(dataset, dimension, axis, units, positive, standard_name, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: dimension, axis, units
    character(len=*), intent(in), optional :: positive, standard_name  ! none
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable :: direction(:), name(:)
    call keep_text(direction, positive, '')
    call keep_text(name, standard_name, '')
    call tell_status(c_dataset_define_coordinate(dataset%handle, c_text(dimension), c_text(axis), c_text(units), &
                                                 direction, name), ierr)
  end subroutine

  ! Collective.
  subroutine sill_dataset_begin(dataset, ierr)
    type(sill_dataset), intent(in) :: dataset
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_begin(dataset%handle), ierr)
  end subroutine

  ! Collective. Sets or replaces an attribute with a text, as sill_dataset_set_attribute does with numbers.
  subroutine sill_dataset_set_text(dataset, name, text, variable, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: name, text
    character(len=*), intent(in), optional :: variable
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable :: of(:)
    call keep_text(of, variable, '')
    call tell_status(c_dataset_set_text(dataset%handle, of, c_text(name), c_text(text)), ierr)
  end subroutine

  subroutine put_value_i4(dataset, variable, value, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: variable
    integer, intent(in) :: value
    integer, intent(out), optional :: ierr
    call put_value_f8(dataset, variable, real(value, real64), ierr)
  end subroutine

  subroutine put_value_f4(dataset, variable, value, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: variable
    real(real32), intent(in) :: value
    integer, intent(out), optional :: ierr
    call put_value_f8(dataset, variable, real(value, real64), ierr)
  end subroutine

  subroutine put_value_f8(dataset, variable, value, ierr)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: variable
    real(real64), intent(in) :: value
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_put_value(dataset%handle, c_text(variable), real(value, c_double)), ierr)
  end subroutine

  ! Local. Begins the next step: later puts belong to it, and sill_dataset_write_step writes all steps begun so far. All
  ! ranks must call this the same number of times between two calls of sill_dataset_write_step.
  subroutine sill_dataset_next_step(dataset, ierr)
    type(sill_dataset), intent(in) :: dataset
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_next_step(dataset%handle), ierr)
  end subroutine

  ! Collective.
  subroutine sill_dataset_write(dataset, memory, ierr)
    type(sill_dataset), intent(in) :: dataset
    integer, intent(in), optional :: memory  ! SILL_COPIED
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_write(dataset%handle, memory_or_copied(memory)), ierr)
  end subroutine

  ! Collective. With `memory` SILL_LENT the arrays must be targets, and must not change until sill_dataset_wait.
  subroutine sill_dataset_write_step(dataset, memory, ierr)
    type(sill_dataset), intent(in) :: dataset
    integer, intent(in), optional :: memory  ! SILL_COPIED
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_write_step(dataset%handle, memory_or_copied(memory)), ierr)
  end subroutine

  ! Local. `step` counts from 0.
  subroutine sill_dataset_write_own(dataset, step, ierr)
    type(sill_dataset), intent(in) :: dataset
    integer, intent(in) :: step
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_write_own(dataset%handle, int(step, c_int64_t)), ierr)
  end subroutine

  ! Collective.
  subroutine sill_dataset_wait(dataset, ierr)
    type(sill_dataset), intent(in) :: dataset
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_wait(dataset%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_dataset_steps(dataset, steps, ierr)
    type(sill_dataset), intent(in) :: dataset
    integer(int64), intent(out) :: steps
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_steps(dataset%handle, steps), ierr)
  end subroutine

  ! Collective.
  subroutine sill_dataset_close(dataset, ierr)
    type(sill_dataset), intent(inout) :: dataset
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_close(dataset%handle), ierr)
  end subroutine

  ! Local.
  subroutine sill_dataset_free(dataset, ierr)
    type(sill_dataset), intent(inout) :: dataset
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_free(dataset%handle), ierr)
  end subroutine

  ! Collective.
  subroutine sill_dataset_reader_open(session, reader, path, ierr)
    type(sill_session), intent(in) :: session
    type(sill_dataset_reader), intent(inout), target :: reader
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_reader_open(session%handle, c_text(path), place_for(reader%handle)), ierr)
  end subroutine

  ! Local.
  subroutine sill_dataset_reader_steps(reader, steps, ierr)
    type(sill_dataset_reader), intent(in) :: reader
    integer(int64), intent(out) :: steps
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_reader_steps(reader%handle, steps), ierr)
  end subroutine

  ! Local. Returns whether a step (from 0) contains a variable: steps of .vti files and raw files may omit some.
  subroutine sill_dataset_reader_holds(reader, variable, step, holds, ierr)
    type(sill_dataset_reader), intent(in) :: reader
    character(len=*), intent(in) :: variable
    integer(int64), intent(in) :: step
    logical, intent(out) :: holds
    integer, intent(out), optional :: ierr
    integer(c_int) :: found
    found = 0
    call tell_status(c_dataset_reader_holds(reader%handle, c_text(variable), step, found), ierr)
    holds = found /= 0
  end subroutine

  ! Local.
  subroutine sill_dataset_reader_length(reader, dimension, length, ierr)
    type(sill_dataset_reader), intent(in) :: reader
    character(len=*), intent(in) :: dimension
    integer(int64), intent(out) :: length
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_reader_length(reader%handle, c_text(dimension), length), ierr)
  end subroutine

  ! Local. Begins the next step: later requests belong to it.
  subroutine sill_dataset_reader_next_step(reader, ierr)
    type(sill_dataset_reader), intent(in) :: reader
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_reader_next_step(reader%handle), ierr)
  end subroutine

  ! Collective.
  subroutine sill_dataset_reader_read(reader, ierr)
    type(sill_dataset_reader), intent(in) :: reader
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_reader_read(reader%handle), ierr)
  end subroutine

  ! Collective. `step` counts from 0.
  subroutine sill_dataset_reader_read_step(reader, step, ierr)
    type(sill_dataset_reader), intent(in) :: reader
    integer, intent(in) :: step
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_reader_read_step(reader%handle, int(step, c_int64_t)), ierr)
  end subroutine

  ! Local.
  subroutine sill_dataset_reader_free(reader, ierr)
    type(sill_dataset_reader), intent(inout) :: reader
    integer, intent(out), optional :: ierr
    call tell_status(c_dataset_reader_free(reader%handle), ierr)
  end subroutine

  pure function memory_or_copied(memory) result(as)
    integer, intent(in), optional :: memory
    integer(c_int) :: as
    as = SILL_COPIED
    if (present(memory)) as = int(memory, c_int)
  end function

  ! Returns indices in C order: from 0, slowest dimension first.
  pure function c_index(indices, from) result(reversed)
    integer(int64), intent(in) :: indices(:)
    integer, intent(in) :: from
    integer(c_int64_t) :: reversed(size(indices))
    reversed = indices(size(indices):1:-1) - from
  end function

  ! Returns the number of dimensions of a box, or -1, which C refuses, if the arguments do not agree.
  pure function dimensions_of(first, count) result(dimensions)
    integer(int64), intent(in) :: first(:), count(:)
    integer(c_int) :: dimensions
    dimensions = -1
    if (size(first) == size(count)) dimensions = size(first, kind=c_int)
  end function

  ! Returns whether an array of `values` elements fits a box of `count` or `stored_count` elements. `values` is negative
  ! for an array of assumed size, whose number of elements is unknown.
  function holds(values, count, stored_count)
    integer(int64), intent(in) :: values
    integer(int64), intent(in) :: count(:)
    integer(int64), intent(in), optional :: stored_count(:)
    logical :: holds
    if (values < 0) then
      holds = .true.
    else if (present(stored_count)) then
      holds = values == product(stored_count)
    else
      holds = values == product(count)
    end if
  end function

  ! The common part of the procedures for each type.
  function put_at(dataset, variable, type, address, is_copied, first, count, stored_first, stored_count) result(status)
    type(sill_dataset), intent(in) :: dataset
    character(len=*), intent(in) :: variable
    integer, intent(in) :: type
    type(c_ptr), intent(in) :: address
    logical, intent(in) :: is_copied
    integer(int64), intent(in) :: first(:), count(:)
    integer(int64), intent(in), optional :: stored_first(:), stored_count(:)
    integer(c_int) :: status
    integer(c_int64_t), target :: stored(max(1, size(first)), 2)
    type(c_ptr) :: places(2)
    call keep_stored(stored, places, stored_first, stored_count)
    if (is_copied) then
      status = c_dataset_put_copy(dataset%handle, c_text(variable), dimensions_of(first, count), c_index(first, 1), &
                                  c_index(count, 0), places(1), places(2), int(type, c_int), address)
    else
      status = c_dataset_put(dataset%handle, c_text(variable), dimensions_of(first, count), c_index(first, 1), &
                             c_index(count, 0), places(1), places(2), int(type, c_int), address)
    end if
  end function

  function get_at(reader, variable, type, address, first, count, stored_first, stored_count) result(status)
    type(sill_dataset_reader), intent(in) :: reader
    character(len=*), intent(in) :: variable
    integer, intent(in) :: type
    type(c_ptr), intent(in) :: address
    integer(int64), intent(in) :: first(:), count(:)
    integer(int64), intent(in), optional :: stored_first(:), stored_count(:)
    integer(c_int) :: status
    integer(c_int64_t), target :: stored(max(1, size(first)), 2)
    type(c_ptr) :: places(2)
    call keep_stored(stored, places, stored_first, stored_count)
    status = c_dataset_reader_get(reader%handle, c_text(variable), dimensions_of(first, count), c_index(first, 1), &
                                  c_index(count, 0), places(1), places(2), int(type, c_int), address)
  end function

  subroutine keep_stored(stored, places, stored_first, stored_count)
    integer(c_int64_t), intent(inout), target :: stored(:, :)
    type(c_ptr), intent(out) :: places(2)
    integer(int64), intent(in), optional :: stored_first(:), stored_count(:)
    places = c_null_ptr
    stored = 0
    if (.not. present(stored_first) .and. .not. present(stored_count)) return
    places(2) = c_loc(stored(1, 2))  ! refused without stored_first
    if (.not. (present(stored_first) .and. present(stored_count))) return
    if (size(stored_first) /= size(stored, 1) .or. size(stored_count) /= size(stored, 1)) return
    stored(:, 1) = c_index(stored_first, 1)
    stored(:, 2) = c_index(stored_count, 0)
    places(1) = c_loc(stored(1, 1))
  end subroutine

#define OF_TYPE SILL_I1
#define KIND integer(int8)
#define ATTRIBUTE attribute_i1
#define SET_ATTRIBUTE set_attribute_i1
#define PUT_ELEMENTS put_elements_i1
#define PUT_ELEMENTS_COPY put_elements_copy_i1
#define GET_ELEMENTS get_elements_i1
#include "sill_dataset_of_type.inc"
#define INDEX integer(int32)
#define PUT put_i1
#define PUT_COPY put_copy_i1
#define GET get_i1
#include "sill_dataset_boxes.inc"
#define INDEX integer(int64)
#define PUT put_long_i1
#define PUT_COPY put_copy_long_i1
#define GET get_long_i1
#include "sill_dataset_boxes.inc"
#undef OF_TYPE
#undef KIND
#define OF_TYPE SILL_I2
#define KIND integer(int16)
#define ATTRIBUTE attribute_i2
#define SET_ATTRIBUTE set_attribute_i2
#define PUT_ELEMENTS put_elements_i2
#define PUT_ELEMENTS_COPY put_elements_copy_i2
#define GET_ELEMENTS get_elements_i2
#include "sill_dataset_of_type.inc"
#define INDEX integer(int32)
#define PUT put_i2
#define PUT_COPY put_copy_i2
#define GET get_i2
#include "sill_dataset_boxes.inc"
#define INDEX integer(int64)
#define PUT put_long_i2
#define PUT_COPY put_copy_long_i2
#define GET get_long_i2
#include "sill_dataset_boxes.inc"
#undef OF_TYPE
#undef KIND
#define OF_TYPE SILL_I4
#define KIND integer(int32)
#define ATTRIBUTE attribute_i4
#define SET_ATTRIBUTE set_attribute_i4
#define PUT_ELEMENTS put_elements_i4
#define PUT_ELEMENTS_COPY put_elements_copy_i4
#define GET_ELEMENTS get_elements_i4
#include "sill_dataset_of_type.inc"
#define INDEX integer(int32)
#define PUT put_i4
#define PUT_COPY put_copy_i4
#define GET get_i4
#include "sill_dataset_boxes.inc"
#define INDEX integer(int64)
#define PUT put_long_i4
#define PUT_COPY put_copy_long_i4
#define GET get_long_i4
#include "sill_dataset_boxes.inc"
#undef OF_TYPE
#undef KIND
#define OF_TYPE SILL_I8
#define KIND integer(int64)
#define ATTRIBUTE attribute_i8
#define SET_ATTRIBUTE set_attribute_i8
#define PUT_ELEMENTS put_elements_i8
#define PUT_ELEMENTS_COPY put_elements_copy_i8
#define GET_ELEMENTS get_elements_i8
#include "sill_dataset_of_type.inc"
#define INDEX integer(int32)
#define PUT put_i8
#define PUT_COPY put_copy_i8
#define GET get_i8
#include "sill_dataset_boxes.inc"
#define INDEX integer(int64)
#define PUT put_long_i8
#define PUT_COPY put_copy_long_i8
#define GET get_long_i8
#include "sill_dataset_boxes.inc"
#undef OF_TYPE
#undef KIND
#define OF_TYPE SILL_F4
#define KIND real(real32)
#define ATTRIBUTE attribute_f4
#define SET_ATTRIBUTE set_attribute_f4
#define PUT_ELEMENTS put_elements_f4
#define PUT_ELEMENTS_COPY put_elements_copy_f4
#define GET_ELEMENTS get_elements_f4
#include "sill_dataset_of_type.inc"
#define INDEX integer(int32)
#define PUT put_f4
#define PUT_COPY put_copy_f4
#define GET get_f4
#include "sill_dataset_boxes.inc"
#define INDEX integer(int64)
#define PUT put_long_f4
#define PUT_COPY put_copy_long_f4
#define GET get_long_f4
#include "sill_dataset_boxes.inc"
#undef OF_TYPE
#undef KIND
#define OF_TYPE SILL_F8
#define KIND real(real64)
#define ATTRIBUTE attribute_f8
#define SET_ATTRIBUTE set_attribute_f8
#define PUT_ELEMENTS put_elements_f8
#define PUT_ELEMENTS_COPY put_elements_copy_f8
#define GET_ELEMENTS get_elements_f8
#include "sill_dataset_of_type.inc"
#define INDEX integer(int32)
#define PUT put_f8
#define PUT_COPY put_copy_f8
#define GET get_f8
#include "sill_dataset_boxes.inc"
#define INDEX integer(int64)
#define PUT put_long_f8
#define PUT_COPY put_copy_long_f8
#define GET get_long_f8
#include "sill_dataset_boxes.inc"
#undef OF_TYPE
#undef KIND
end module
