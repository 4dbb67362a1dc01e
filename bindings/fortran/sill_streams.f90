! Surveys as streams: every trace is passed to a procedure of the program.
module sill_streams_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  use sill_c_module
  use sill_segy_module, only: sill_reader
  use sill_session_module
  implicit none
  private

  ! Consecutive traces in the memory of a thread. The pointers are valid only during the call.
  type, public :: sill_block
    integer(int64) :: count = 0
    integer(int64) :: first = 1                              ! position of the first trace in the stream
    integer(int64), allocatable :: traces(:)                 ! the number of each in the survey
    integer(int8), pointer, contiguous :: headers(:, :) => null()
    integer :: byte_order = 0
    real(real32), pointer :: values(:, :) => null()          ! (samples, traces); not associated: headers only
    real(real32), pointer, contiguous :: out(:, :) => null() ! associated if the output has another number of samples
    real(real64) :: interval_us = 0
    integer :: thread = 0
    type(c_block), private :: of_c
  end type

  type, public :: sill_stream_result
    integer(int64) :: traces = 0
    integer(int64) :: bytes_out = 0
    integer(int64) :: rounded = 0
    integer(int64) :: clipped = 0
  end type

  abstract interface
    ! `status` is 0 on entry; any other value on return ends the stream or flow with an error.
    subroutine sill_block_work(block, status)
      import :: sill_block
      type(sill_block), intent(inout) :: block
      integer, intent(inout) :: status
    end subroutine
  end interface

  type :: stream_work
    procedure(sill_block_work), pointer, nopass :: work => null()
  end type

  public :: sill_block_work, sill_block_true_values, sill_block_set_true_values, sill_stream_run
  ! Used by the module of flows.
  public :: block_from, optional_number

contains

  ! Local. Converts a block of C.
  subroutine block_from(of_c, block)
    type(c_block), intent(in) :: of_c
    type(sill_block), intent(out) :: block
    integer(c_int64_t), pointer :: traces(:)
    real(c_float), pointer, contiguous :: rows(:, :)
    block%of_c = of_c
    block%count = of_c%count
    block%first = of_c%first + 1
    call c_f_pointer(of_c%traces, traces, [of_c%count])
    allocate (block%traces(of_c%count))
    block%traces = traces + 1
    call c_f_pointer(of_c%headers, block%headers, [of_c%header_bytes, of_c%count])
    block%byte_order = int(of_c%byte_order)
    if (c_associated(of_c%values)) then
      call c_f_pointer(of_c%values, rows, [of_c%stride, of_c%count])
      block%values => rows(1:of_c%samples, :)
    end if
    if (c_associated(of_c%out)) call c_f_pointer(of_c%out, block%out, [of_c%out_samples, of_c%count])
    block%interval_us = of_c%interval_us
    block%thread = int(of_c%thread)
  end subroutine

  ! Local. Returns an optional number, or its default.
  pure function optional_number(number) result(given)
    integer, intent(in), optional :: number
    integer(c_int) :: given
    given = 0
    if (present(number)) given = int(number, c_int)
  end function

  recursive function called_with_block(of_c, context) bind(C) result(status)
    type(c_block), intent(in) :: of_c
    type(c_ptr), value :: context
    integer(c_int) :: status
    type(stream_work), pointer :: holder
    type(sill_block) :: block
    integer :: ended
    call c_f_pointer(context, holder)
    call block_from(of_c, block)
    ended = 0
    call holder%work(block, ended)
    status = int(ended, c_int)
  end function

  ! Local. One value per trace of the block.
  subroutine sill_block_true_values(block, word, values, ierr)
    type(sill_block), intent(in) :: block
    character(len=*), intent(in) :: word
    real(real64), intent(inout), contiguous :: values(:)
    integer, intent(out), optional :: ierr
    type(c_block) :: of_c
    of_c = block%of_c
    if (size(values, kind=int64) /= block%count) of_c%count = -1  ! which C refuses
    call tell_status(c_block_true_values(of_c, c_text(word), values), ierr)
  end subroutine

  ! Local. As above.
  subroutine sill_block_set_true_values(block, word, values, ierr)
    type(sill_block), intent(inout) :: block
    character(len=*), intent(in) :: word
    real(real64), intent(in), contiguous :: values(:)
    integer, intent(out), optional :: ierr
    type(c_block) :: of_c
    of_c = block%of_c
    if (size(values, kind=int64) /= block%count) of_c%count = -1
    call tell_status(c_block_set_true_values(of_c, c_text(word), values), ierr)
  end subroutine

  ! Collective. `traces` is counted from 1. An absent argument means the same as 0 or NULL in sill.h.
  subroutine sill_stream_run(reader, work, target, traces, sample_format, samples, interval_us, headers_only, clip, &
                             not_thread_safe, history, accept_loss, result, ierr)
    type(sill_reader), intent(in) :: reader
    procedure(sill_block_work) :: work
    character(len=*), intent(in), optional :: target, history
    integer(int64), intent(in), optional :: traces(:)
    integer, intent(in), optional :: sample_format
    integer(int64), intent(in), optional :: samples
    real(real64), intent(in), optional :: interval_us
    logical, intent(in), optional :: headers_only, clip, not_thread_safe, accept_loss
    type(sill_stream_result), intent(out), optional :: result
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: of_target(:), of_history(:)
    integer(c_int64_t), allocatable, target :: list(:)
    type(c_stream_options) :: options
    type(c_stream_result) :: done
    type(stream_work), target :: holder
    integer(c_int) :: status
    call keep_text(of_target, target, '')
    options%target = c_loc(of_target)
    options%history = c_null_ptr
    if (present(history)) then
      call keep_text(of_history, history, '')
      options%history = c_loc(of_history)
    end if
    options%traces = c_null_ptr
    options%trace_count = 0
    if (present(traces)) then
      allocate (list(max(1, size(traces))))
      list(:size(traces)) = traces - 1
      options%traces = c_loc(list)
      options%trace_count = size(traces, kind=c_int64_t)
    end if
    options%sample_format = optional_number(sample_format)
    options%samples = 0
    if (present(samples)) options%samples = samples
    options%interval_us = 0
    if (present(interval_us)) options%interval_us = interval_us
    options%headers_only = 0
    if (present(headers_only)) options%headers_only = merge(1, 0, headers_only)
    options%clip = 0
    if (present(clip)) options%clip = merge(1, 0, clip)
    options%accept_loss = 0
    if (present(accept_loss)) options%accept_loss = merge(1, 0, accept_loss)
    options%not_thread_safe = 0
    if (present(not_thread_safe)) options%not_thread_safe = merge(1, 0, not_thread_safe)
    holder%work => work
    done = c_stream_result(0, 0, 0, 0)
    status = c_stream_run(reader%handle, options, c_funloc(called_with_block), c_loc(holder), done)
    if (present(result)) result = sill_stream_result(done%traces, done%bytes_out, done%rounded, done%clipped)
    call tell_status(status, ierr)
  end subroutine
end module
