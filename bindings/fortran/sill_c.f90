! The structures and functions of sill.h, as they are, for the other modules. Printed by script/fortran from sill.h;
! script/checks/bindings compares the two.
module sill_c_module
  use, intrinsic :: iso_c_binding
  implicit none
  public

  type, bind(C) :: c_options
    type(c_ptr) :: policies
    integer(c_int64_t) :: memory_bytes
    integer(c_int) :: threads
    type(c_ptr) :: report
    type(c_ptr) :: file
    integer(c_int) :: no_environment
  end type

  type, bind(C) :: c_station
    integer(c_int) :: number
    real(c_double) :: position_m(3)
  end type

  type, bind(C) :: c_station_output
    type(c_ptr) :: folder
    integer(c_int64_t) :: stations
    type(c_ptr) :: station
    integer(c_int) :: components
    type(c_ptr) :: owners
    real(c_double) :: interval_s
    integer(c_int64_t) :: final_steps
    integer(c_int64_t) :: steps_per_phase
    integer(c_int) :: count_grows
    integer(c_int) :: form
    type(c_ptr) :: component_names
    integer(c_int) :: shot
    type(c_ptr) :: source_m
    integer(c_int64_t) :: start_us
    integer(c_int64_t) :: continues_after
    type(c_ptr) :: codes
    type(c_ptr) :: tag
    type(c_ptr) :: event_id
  end type

  type, bind(C) :: c_grid
    integer(c_int64_t) :: shape(3)
    integer(c_int64_t) :: first(3)
    integer(c_int64_t) :: count(3)
    integer(c_int64_t) :: stored_first(3)
    integer(c_int64_t) :: stored_count(3)
  end type

  type, bind(C) :: c_surface_options
    type(c_ptr) :: prefix
    type(c_ptr) :: xy_at_z
    type(c_ptr) :: xz_at_y
    type(c_ptr) :: yz_at_x
    integer(c_int64_t) :: first_plane_row
    integer(c_int64_t) :: plane_rows
    real(c_double) :: origin(3)
    real(c_double) :: spacing(3)
    integer(c_int) :: displacement
    integer(c_int) :: order
    integer(c_int64_t) :: continues_after
  end type

  type, bind(C) :: c_records_options
    type(c_ptr) :: codec
    integer(c_int) :: level
    integer(c_int64_t) :: frame_bytes
    integer(c_int64_t) :: files
    integer(c_int64_t) :: ids
    integer(c_int) :: replaces
  end type

  type, bind(C) :: c_volume_options
    type(c_ptr) :: prefix
    type(c_ptr) :: components
    integer(c_int64_t) :: kept_first(3)
    integer(c_int64_t) :: kept_last(3)
    integer(c_int64_t) :: kept_skip(3)
    integer(c_int64_t) :: steps_per_sample
    integer(c_int64_t) :: samples_per_file
    integer(c_int64_t) :: first_step
    integer(c_int) :: order
    integer(c_int) :: surface
    integer(c_int64_t) :: continues_after
  end type

  type, bind(C) :: c_solution_output
    type(c_ptr) :: folder
    integer(c_int64_t) :: my_problems
    integer(c_int64_t) :: sub_elements
    integer(c_int) :: dimensions
    integer(c_int) :: record_bytes
    integer(c_int) :: files
    integer(c_int64_t) :: chunk_align_bytes
    integer(c_int) :: align_to_stripes
  end type

  type, bind(C) :: c_dataset_options
    integer(c_int) :: existing
    type(c_ptr) :: container
    type(c_ptr) :: first_step
    integer(c_int) :: version
    integer(c_int64_t) :: align
    integer(c_int64_t) :: variable_align
    integer(c_int64_t) :: record_align
    integer(c_int) :: no_fill
    integer(c_int) :: field_data
    type(c_ptr) :: layout
  end type

  type, bind(C) :: c_file_form
    integer(c_int) :: kind
    integer(c_int) :: byte_order
    integer(c_int) :: revision
    integer(c_int) :: sample_format
    integer(c_int64_t) :: samples
    real(c_double) :: interval_us
    integer(c_int64_t) :: traces
    integer(c_int) :: lengths_vary
    integer(c_int) :: additional_trace_headers
    integer(c_int) :: sorting_code
    integer(c_int) :: measurement_system
    integer(c_int) :: text_encoding
    type(c_ptr) :: text
  end type

  type, bind(C) :: c_input_options
    type(c_ptr) :: assume
    type(c_ptr) :: map
  end type

  type, bind(C) :: c_extremes
    real(c_double) :: smallest
    real(c_double) :: largest
    integer(c_int64_t) :: smallest_trace
    integer(c_int64_t) :: largest_trace
  end type

  type, bind(C) :: c_block
    integer(c_int64_t) :: count
    integer(c_int64_t) :: first
    type(c_ptr) :: traces
    type(c_ptr) :: headers
    integer(c_int64_t) :: header_bytes
    integer(c_int) :: byte_order
    integer(c_int64_t) :: samples
    type(c_ptr) :: values
    integer(c_int64_t) :: stride
    integer(c_int64_t) :: out_samples
    type(c_ptr) :: out
    real(c_double) :: interval_us
    integer(c_int) :: thread
    type(c_ptr) :: words
  end type

  type, bind(C) :: c_stream_options
    type(c_ptr) :: target
    type(c_ptr) :: traces
    integer(c_int64_t) :: trace_count
    integer(c_int) :: sample_format
    integer(c_int64_t) :: samples
    real(c_double) :: interval_us
    integer(c_int) :: headers_only
    integer(c_int) :: clip
    integer(c_int) :: not_thread_safe
    type(c_ptr) :: history
    integer(c_int) :: accept_loss
  end type

  type, bind(C) :: c_stream_result
    integer(c_int64_t) :: traces
    integer(c_int64_t) :: bytes_out
    integer(c_int64_t) :: rounded
    integer(c_int64_t) :: clipped
  end type

  type, bind(C) :: c_flow_options
    type(c_ptr) :: assume
    type(c_ptr) :: map
    integer(c_int) :: sample_format
    integer(c_int) :: clip
    integer(c_int) :: nonfinite
    integer(c_int) :: no_history
    type(c_ptr) :: scratch
    integer(c_int) :: accept_loss
    type(c_ptr) :: scale
    integer(c_int) :: process_auxiliary
    integer(c_int) :: resume
  end type

  type, bind(C) :: c_flow_result
    integer(c_int64_t) :: traces_in
    integer(c_int64_t) :: traces_out
    integer(c_int64_t) :: samples_out
    integer(c_int64_t) :: bytes_out
    integer(c_int64_t) :: passes
    integer(c_int64_t) :: zeroed
    type(c_ptr) :: notes
  end type

  type, bind(C) :: c_operation
    type(c_ptr) :: name
    type(c_ptr) :: summary
    integer(c_int) :: scope
    type(c_ptr) :: keys
    type(c_ptr) :: reads_words
    type(c_ptr) :: writes_words
    integer(c_int) :: reads_samples
    integer(c_int) :: writes_samples
    integer(c_int) :: changes_amplitudes
    integer(c_int64_t) :: memory_bytes
    integer(c_int) :: not_thread_safe
    type(c_funptr) :: run
    type(c_funptr) :: edit_header
    type(c_ptr) :: context
  end type

  interface
    function c_last_error() bind(C, name="sill_last_error") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_last_errno() bind(C, name="sill_last_errno") result(number)
      import :: c_int
      integer(c_int) :: number
    end function
    function c_version() bind(C, name="sill_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_session_open_f(comm, options, session) bind(C, name="sill_session_open_f") result(status)
      import :: c_int, c_options, c_ptr
      integer(c_int), value :: comm
      type(c_options), intent(in) :: options
      type(c_ptr), value :: session  ! its place
      integer(c_int) :: status
    end function
    function c_session_open_alone(options, session) bind(C, name="sill_session_open_alone") result(status)
      import :: c_int, c_options, c_ptr
      type(c_options), intent(in) :: options
      type(c_ptr), value :: session  ! its place
      integer(c_int) :: status
    end function
    function c_session_report(session, form, text) bind(C, name="sill_session_report") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: session
      integer(c_int), value :: form
      type(c_ptr) :: text
      integer(c_int) :: status
    end function
    function c_session_finish(session) bind(C, name="sill_session_finish") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: session
      integer(c_int) :: status
    end function
    function c_session_free(session) bind(C, name="sill_session_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: session
      integer(c_int) :: status
    end function
    function c_stations_open(session, output, stations) bind(C, name="sill_stations_open") result(status)
      import :: c_int, c_ptr, c_station_output
      type(c_ptr), value :: session
      type(c_station_output), intent(in) :: output
      type(c_ptr), value :: stations  ! its place
      integer(c_int) :: status
    end function
    function c_stations_owned(stations, capacity, station, component, count) &
        bind(C, name="sill_stations_owned") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stations
      integer(c_int64_t), value :: capacity
      integer(c_int64_t) :: station(*)
      integer(c_int) :: component(*)
      integer(c_int64_t) :: count
      integer(c_int) :: status
    end function
    function c_stations_attach(stations, path, type, dimensions, shape, values) &
        bind(C, name="sill_stations_attach") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: stations
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: type
      integer(c_int), value :: dimensions
      type(c_ptr), value :: shape
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_stations_attach_text(stations, path, text) bind(C, name="sill_stations_attach_text") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: stations
      character(kind=c_char), intent(in) :: path(*)
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: status
    end function
    function c_stations_attach_attribute(stations, path, name, type, count, values) &
        bind(C, name="sill_stations_attach_attribute") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stations
      character(kind=c_char), intent(in) :: path(*)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      integer(c_int64_t), value :: count
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_stations_attach_attribute_text(stations, path, name, text) &
        bind(C, name="sill_stations_attach_attribute_text") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: stations
      character(kind=c_char), intent(in) :: path(*)
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: status
    end function
    function c_stations_record(stations, values, count) bind(C, name="sill_stations_record") result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stations
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function
    function c_stations_write_step(stations, values, count) bind(C, name="sill_stations_write_step") result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stations
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: status
    end function
    function c_stations_flush(stations) bind(C, name="sill_stations_flush") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: stations
      integer(c_int) :: status
    end function
    function c_stations_steps(stations, steps) bind(C, name="sill_stations_steps") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stations
      integer(c_int64_t) :: steps
      integer(c_int) :: status
    end function
    function c_stations_phases(stations, phases) bind(C, name="sill_stations_phases") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stations
      integer(c_int64_t) :: phases
      integer(c_int) :: status
    end function
    function c_stations_file_bytes(stations, bytes) bind(C, name="sill_stations_file_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stations
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_stations_close(stations) bind(C, name="sill_stations_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: stations
      integer(c_int) :: status
    end function
    function c_stations_free(stations) bind(C, name="sill_stations_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: stations
      integer(c_int) :: status
    end function
    function c_surfaces_open(session, grid, options, surfaces) bind(C, name="sill_surfaces_open") result(status)
      import :: c_grid, c_int, c_ptr, c_surface_options
      type(c_ptr), value :: session
      type(c_grid), intent(in) :: grid
      type(c_surface_options), intent(in) :: options
      type(c_ptr), value :: surfaces  ! its place
      integer(c_int) :: status
    end function
    function c_surfaces_write_phase(surfaces, step, points, vx, vy, vz, dx, dy, dz, memory) &
        bind(C, name="sill_surfaces_write_phase") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: surfaces
      integer(c_int64_t), value :: step
      integer(c_int64_t), value :: points
      type(c_ptr), value :: vx
      type(c_ptr), value :: vy
      type(c_ptr), value :: vz
      type(c_ptr), value :: dx
      type(c_ptr), value :: dy
      type(c_ptr), value :: dz
      integer(c_int), value :: memory
      integer(c_int) :: status
    end function
    function c_surfaces_wait(surfaces) bind(C, name="sill_surfaces_wait") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: surfaces
      integer(c_int) :: status
    end function
    function c_surfaces_phase_bytes(surfaces, bytes) bind(C, name="sill_surfaces_phase_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: surfaces
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_surfaces_close(surfaces) bind(C, name="sill_surfaces_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: surfaces
      integer(c_int) :: status
    end function
    function c_surfaces_free(surfaces) bind(C, name="sill_surfaces_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: surfaces
      integer(c_int) :: status
    end function
    function c_records_open(session, path, options, records) bind(C, name="sill_records_open") result(status)
      import :: c_char, c_int, c_ptr, c_records_options
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: path(*)
      type(c_records_options), intent(in) :: options
      type(c_ptr), value :: records  ! its place
      integer(c_int) :: status
    end function
    function c_records_put(records, id, bytes, size) bind(C, name="sill_records_put") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: records
      integer(c_int64_t), value :: id
      integer(c_int8_t), intent(in) :: bytes(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: status
    end function
    function c_records_write(records) bind(C, name="sill_records_write") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: records
      integer(c_int) :: status
    end function
    function c_records_close(records) bind(C, name="sill_records_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: records
      integer(c_int) :: status
    end function
    function c_records_free(records) bind(C, name="sill_records_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: records
      integer(c_int) :: status
    end function
    function c_volumes_open(session, grid, options, volumes) bind(C, name="sill_volumes_open") result(status)
      import :: c_grid, c_int, c_ptr, c_volume_options
      type(c_ptr), value :: session
      type(c_grid), intent(in) :: grid
      type(c_volume_options), intent(in) :: options
      type(c_ptr), value :: volumes  ! its place
      integer(c_int) :: status
    end function
    function c_volumes_write_step(volumes, step, points, x, y, z, memory) &
        bind(C, name="sill_volumes_write_step") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: volumes
      integer(c_int64_t), value :: step
      integer(c_int64_t), value :: points
      type(c_ptr), value :: x
      type(c_ptr), value :: y
      type(c_ptr), value :: z
      integer(c_int), value :: memory
      integer(c_int) :: status
    end function
    function c_volumes_wait(volumes) bind(C, name="sill_volumes_wait") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: volumes
      integer(c_int) :: status
    end function
    function c_volumes_kept_bytes(volumes, bytes) bind(C, name="sill_volumes_kept_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: volumes
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_volumes_batch_bytes(volumes, bytes) bind(C, name="sill_volumes_batch_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: volumes
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_volumes_batches(volumes, batches) bind(C, name="sill_volumes_batches") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: volumes
      integer(c_int64_t) :: batches
      integer(c_int) :: status
    end function
    function c_volumes_close(volumes) bind(C, name="sill_volumes_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: volumes
      integer(c_int) :: status
    end function
    function c_volumes_free(volumes) bind(C, name="sill_volumes_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: volumes
      integer(c_int) :: status
    end function
    function c_solutions_open(session, output, solutions) bind(C, name="sill_solutions_open") result(status)
      import :: c_int, c_ptr, c_solution_output
      type(c_ptr), value :: session
      type(c_solution_output), intent(in) :: output
      type(c_ptr), value :: solutions  ! its place
      integer(c_int) :: status
    end function
    function c_solutions_problems(solutions, first, count) bind(C, name="sill_solutions_problems") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solutions
      integer(c_int64_t) :: first
      integer(c_int64_t) :: count
      integer(c_int) :: status
    end function
    function c_solutions_write_problem_files(solutions, corners, elements, parameters) &
        bind(C, name="sill_solutions_write_problem_files") result(status)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solutions
      real(c_double), intent(in) :: corners(*)
      integer(c_int64_t), value :: elements
      character(kind=c_char), intent(in) :: parameters(*)
      integer(c_int) :: status
    end function
    function c_solutions_write_phase(solutions, step, values, count, memory) &
        bind(C, name="sill_solutions_write_phase") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solutions
      integer(c_int64_t), value :: step
      type(c_ptr), value :: values
      integer(c_int64_t), value :: count
      integer(c_int), value :: memory
      integer(c_int) :: status
    end function
    function c_solutions_wait(solutions) bind(C, name="sill_solutions_wait") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: solutions
      integer(c_int) :: status
    end function
    function c_solutions_phase_bytes(solutions, bytes) bind(C, name="sill_solutions_phase_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: solutions
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_solutions_close(solutions) bind(C, name="sill_solutions_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: solutions
      integer(c_int) :: status
    end function
    function c_solutions_free(solutions) bind(C, name="sill_solutions_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: solutions
      integer(c_int) :: status
    end function
    function c_dataset_open(session, path, options, dataset) bind(C, name="sill_dataset_open") result(status)
      import :: c_char, c_dataset_options, c_int, c_ptr
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: path(*)
      type(c_dataset_options), intent(in) :: options
      type(c_ptr), value :: dataset  ! its place
      integer(c_int) :: status
    end function
    function c_dataset_define_dimension(dataset, name, length) &
        bind(C, name="sill_dataset_define_dimension") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
      integer(c_int) :: status
    end function
    function c_dataset_define_variable(dataset, name, type, dimensions) &
        bind(C, name="sill_dataset_define_variable") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      character(kind=c_char), intent(in) :: dimensions(*)
      integer(c_int) :: status
    end function
    function c_dataset_define_attribute(dataset, variable, name, type, count, values) &
        bind(C, name="sill_dataset_define_attribute") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      integer(c_int64_t), value :: count
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_define_text(dataset, variable, name, text) &
        bind(C, name="sill_dataset_define_text") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: status
    end function
    function c_dataset_define_coordinate(dataset, dimension, axis, units, positive, standard_name) &
        bind(C, name="sill_dataset_define_coordinate") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: dimension(*)
      character(kind=c_char), intent(in) :: axis(*)
      character(kind=c_char), intent(in) :: units(*)
      character(kind=c_char), intent(in) :: positive(*)
      character(kind=c_char), intent(in) :: standard_name(*)
      integer(c_int) :: status
    end function
    function c_dataset_begin(dataset) bind(C, name="sill_dataset_begin") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: dataset
      integer(c_int) :: status
    end function
    function c_dataset_set_attribute(dataset, variable, name, type, count, values) &
        bind(C, name="sill_dataset_set_attribute") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      integer(c_int64_t), value :: count
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_set_text(dataset, variable, name, text) bind(C, name="sill_dataset_set_text") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: status
    end function
    function c_dataset_put(dataset, variable, rank, first, count, stored_first, stored_count, type, values) &
        bind(C, name="sill_dataset_put") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: first(*)
      integer(c_int64_t), intent(in) :: count(*)
      type(c_ptr), value :: stored_first
      type(c_ptr), value :: stored_count
      integer(c_int), value :: type
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_put_copy(dataset, variable, rank, first, count, stored_first, stored_count, type, values) &
        bind(C, name="sill_dataset_put_copy") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: first(*)
      integer(c_int64_t), intent(in) :: count(*)
      type(c_ptr), value :: stored_first
      type(c_ptr), value :: stored_count
      integer(c_int), value :: type
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_put_value(dataset, variable, value) bind(C, name="sill_dataset_put_value") result(status)
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      real(c_double), value :: value
      integer(c_int) :: status
    end function
    function c_dataset_put_elements(dataset, variable, count, elements, type, values) &
        bind(C, name="sill_dataset_put_elements") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: count
      type(c_ptr), value :: elements
      integer(c_int), value :: type
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_put_elements_copy(dataset, variable, count, elements, type, values) &
        bind(C, name="sill_dataset_put_elements_copy") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: count
      type(c_ptr), value :: elements
      integer(c_int), value :: type
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_next_step(dataset) bind(C, name="sill_dataset_next_step") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: dataset
      integer(c_int) :: status
    end function
    function c_dataset_write(dataset, memory) bind(C, name="sill_dataset_write") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: dataset
      integer(c_int), value :: memory
      integer(c_int) :: status
    end function
    function c_dataset_write_step(dataset, memory) bind(C, name="sill_dataset_write_step") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: dataset
      integer(c_int), value :: memory
      integer(c_int) :: status
    end function
    function c_dataset_write_own(dataset, step) bind(C, name="sill_dataset_write_own") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      integer(c_int64_t), value :: step
      integer(c_int) :: status
    end function
    function c_dataset_wait(dataset) bind(C, name="sill_dataset_wait") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: dataset
      integer(c_int) :: status
    end function
    function c_dataset_steps(dataset, steps) bind(C, name="sill_dataset_steps") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: dataset
      integer(c_int64_t) :: steps
      integer(c_int) :: status
    end function
    function c_dataset_close(dataset) bind(C, name="sill_dataset_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: dataset
      integer(c_int) :: status
    end function
    function c_dataset_free(dataset) bind(C, name="sill_dataset_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: dataset
      integer(c_int) :: status
    end function
    function c_dataset_reader_open(session, path, reader) bind(C, name="sill_dataset_reader_open") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: reader  ! its place
      integer(c_int) :: status
    end function
    function c_dataset_reader_steps(reader, steps) bind(C, name="sill_dataset_reader_steps") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: steps
      integer(c_int) :: status
    end function
    function c_dataset_reader_length(reader, dimension, length) &
        bind(C, name="sill_dataset_reader_length") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: dimension(*)
      integer(c_int64_t) :: length
      integer(c_int) :: status
    end function
    function c_dataset_reader_holds(reader, variable, step, holds) &
        bind(C, name="sill_dataset_reader_holds") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: step
      integer(c_int) :: holds
      integer(c_int) :: status
    end function
    function c_dataset_reader_get(reader, variable, rank, first, count, stored_first, stored_count, type, values) &
        bind(C, name="sill_dataset_reader_get") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: first(*)
      integer(c_int64_t), intent(in) :: count(*)
      type(c_ptr), value :: stored_first
      type(c_ptr), value :: stored_count
      integer(c_int), value :: type
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_reader_get_elements(reader, variable, count, elements, type, values) &
        bind(C, name="sill_dataset_reader_get_elements") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: variable(*)
      integer(c_int64_t), value :: count
      type(c_ptr), value :: elements
      integer(c_int), value :: type
      type(c_ptr), value :: values
      integer(c_int) :: status
    end function
    function c_dataset_reader_next_step(reader) bind(C, name="sill_dataset_reader_next_step") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: status
    end function
    function c_dataset_reader_read(reader) bind(C, name="sill_dataset_reader_read") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: status
    end function
    function c_dataset_reader_read_step(reader, step) bind(C, name="sill_dataset_reader_read_step") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: step
      integer(c_int) :: status
    end function
    function c_dataset_reader_free(reader) bind(C, name="sill_dataset_reader_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: reader
      integer(c_int) :: status
    end function
    function c_reader_open(session, paths, count, reader) bind(C, name="sill_reader_open") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      type(c_ptr), intent(in) :: paths(*)
      integer(c_int64_t), value :: count
      type(c_ptr), value :: reader  ! its place
      integer(c_int) :: status
    end function
    function c_reader_open_with(session, paths, count, options, reader) &
        bind(C, name="sill_reader_open_with") result(status)
      import :: c_input_options, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      type(c_ptr), intent(in) :: paths(*)
      integer(c_int64_t), value :: count
      type(c_input_options), intent(in) :: options
      type(c_ptr), value :: reader  ! its place
      integer(c_int) :: status
    end function
    function c_reader_files(reader, files) bind(C, name="sill_reader_files") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: files
      integer(c_int) :: status
    end function
    function c_reader_form(reader, file, form) bind(C, name="sill_reader_form") result(status)
      import :: c_file_form, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: file
      type(c_file_form) :: form
      integer(c_int) :: status
    end function
    function c_reader_traces(reader, traces) bind(C, name="sill_reader_traces") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: traces
      integer(c_int) :: status
    end function
    function c_reader_file_of(reader, trace, file) bind(C, name="sill_reader_file_of") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: trace
      integer(c_int64_t) :: file
      integer(c_int) :: status
    end function
    function c_reader_is_uniform(reader, is_uniform) bind(C, name="sill_reader_is_uniform") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: is_uniform
      integer(c_int) :: status
    end function
    function c_reader_trace_bytes(reader, bytes) bind(C, name="sill_reader_trace_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_longest_trace_bytes(reader, bytes) &
        bind(C, name="sill_reader_longest_trace_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_bytes_of(reader, first, count, bytes) bind(C, name="sill_reader_bytes_of") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_samples_of(reader, first, count, samples) bind(C, name="sill_reader_samples_of") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int64_t) :: samples
      integer(c_int) :: status
    end function
    function c_reader_file_header(reader, file, capacity, into, bytes) &
        bind(C, name="sill_reader_file_header") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: file
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: into
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_file_trailer(reader, file, capacity, into, bytes) &
        bind(C, name="sill_reader_file_trailer") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: file
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: into
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_text(reader, file, capacity, into, bytes) bind(C, name="sill_reader_text") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: file
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: into
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read_headers(reader, first, count, into, bytes) &
        bind(C, name="sill_reader_read_headers") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int8_t) :: into(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read_own(reader, first, count, into, bytes) bind(C, name="sill_reader_read_own") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int8_t) :: into(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read(reader, first, count, into, bytes) bind(C, name="sill_reader_read") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int8_t) :: into(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read_samples(reader, first, count, into, samples) &
        bind(C, name="sill_reader_read_samples") result(status)
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      real(c_float) :: into(*)
      integer(c_int64_t), value :: samples
      integer(c_int) :: status
    end function
    function c_reader_bytes_of_list(reader, traces, count, bytes) &
        bind(C, name="sill_reader_bytes_of_list") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(in) :: traces(*)
      integer(c_int64_t), value :: count
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_reader_samples_of_list(reader, traces, count, samples) &
        bind(C, name="sill_reader_samples_of_list") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(in) :: traces(*)
      integer(c_int64_t), value :: count
      integer(c_int64_t) :: samples
      integer(c_int) :: status
    end function
    function c_reader_read_list(reader, traces, count, into, bytes) &
        bind(C, name="sill_reader_read_list") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(in) :: traces(*)
      integer(c_int64_t), value :: count
      integer(c_int8_t) :: into(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_reader_read_list_samples(reader, traces, count, into, samples) &
        bind(C, name="sill_reader_read_list_samples") result(status)
      import :: c_float, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), intent(in) :: traces(*)
      integer(c_int64_t), value :: count
      real(c_float) :: into(*)
      integer(c_int64_t), value :: samples
      integer(c_int) :: status
    end function
    function c_reader_check_samples(reader) bind(C, name="sill_reader_check_samples") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: status
    end function
    function c_reader_true_values(reader, word, headers, header_bytes, count, values) &
        bind(C, name="sill_reader_true_values") result(status)
      import :: c_char, c_double, c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: word(*)
      integer(c_int8_t), intent(in) :: headers(*)
      integer(c_int64_t), value :: header_bytes
      integer(c_int64_t), value :: count
      real(c_double) :: values(*)
      integer(c_int) :: status
    end function
    function c_reader_set_true_values(reader, word, headers, header_bytes, count, values) &
        bind(C, name="sill_reader_set_true_values") result(status)
      import :: c_char, c_double, c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: word(*)
      integer(c_int8_t) :: headers(*)
      integer(c_int64_t), value :: header_bytes
      integer(c_int64_t), value :: count
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: status
    end function
    function c_block_of(items, ranks, rank, first, own) bind(C, name="sill_block_of") result(status)
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: items
      integer(c_int), value :: ranks
      integer(c_int), value :: rank
      integer(c_int64_t) :: first
      integer(c_int64_t) :: own
      integer(c_int) :: status
    end function
    function c_reader_read_values(reader, keys, first, count, values, size) &
        bind(C, name="sill_reader_read_values") result(status)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: keys(*)
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      real(c_double) :: values(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: status
    end function
    function c_reader_extremes(reader, key, extremes) bind(C, name="sill_reader_extremes") result(status)
      import :: c_char, c_extremes, c_int, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: key(*)
      type(c_extremes) :: extremes
      integer(c_int) :: status
    end function
    function c_reader_order(reader, keys, capacity, traces, count) bind(C, name="sill_reader_order") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: keys(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t) :: traces(*)
      integer(c_int64_t) :: count
      integer(c_int) :: status
    end function
    function c_reader_sort(reader, keys, target) bind(C, name="sill_reader_sort") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: keys(*)
      character(kind=c_char), intent(in) :: target(*)
      integer(c_int) :: status
    end function
    function c_reader_require_unchanged(reader) bind(C, name="sill_reader_require_unchanged") result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: status
    end function
    function c_reader_close(reader) bind(C, name="sill_reader_close") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: reader
      integer(c_int) :: status
    end function
    function c_reader_free(reader) bind(C, name="sill_reader_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: reader
      integer(c_int) :: status
    end function
    function c_writer_open(session, target, form, writer) bind(C, name="sill_writer_open") result(status)
      import :: c_char, c_file_form, c_int, c_ptr
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: target(*)
      type(c_file_form), intent(in) :: form
      type(c_ptr), value :: writer  ! its place
      integer(c_int) :: status
    end function
    function c_writer_open_bytes(session, target, header_bytes, trace_bytes, traces, trailer_bytes, writer) &
        bind(C, name="sill_writer_open_bytes") result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: target(*)
      integer(c_int64_t), value :: header_bytes
      integer(c_int64_t), value :: trace_bytes
      integer(c_int64_t), value :: traces
      integer(c_int64_t), value :: trailer_bytes
      type(c_ptr), value :: writer  ! its place
      integer(c_int) :: status
    end function
    function c_writer_write_header(writer, from, bytes) bind(C, name="sill_writer_write_header") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int8_t), intent(in) :: from(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_write_trailer(writer, from, bytes) bind(C, name="sill_writer_write_trailer") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int8_t), intent(in) :: from(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_write(writer, first, count, from, bytes) bind(C, name="sill_writer_write") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int8_t), intent(in) :: from(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_write_samples(writer, first, count, headers, header_bytes, samples, sample_count) &
        bind(C, name="sill_writer_write_samples") result(status)
      import :: c_float, c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int8_t), intent(in) :: headers(*)
      integer(c_int64_t), value :: header_bytes
      real(c_float), intent(in) :: samples(*)
      integer(c_int64_t), value :: sample_count
      integer(c_int) :: status
    end function
    function c_writer_write_list(writer, traces, count, from, bytes) &
        bind(C, name="sill_writer_write_list") result(status)
      import :: c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t), intent(in) :: traces(*)
      integer(c_int64_t), value :: count
      integer(c_int8_t), intent(in) :: from(*)
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_writer_write_list_samples(writer, traces, count, headers, header_bytes, samples, sample_count) &
        bind(C, name="sill_writer_write_list_samples") result(status)
      import :: c_float, c_int, c_int64_t, c_int8_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t), intent(in) :: traces(*)
      integer(c_int64_t), value :: count
      integer(c_int8_t), intent(in) :: headers(*)
      integer(c_int64_t), value :: header_bytes
      real(c_float), intent(in) :: samples(*)
      integer(c_int64_t), value :: sample_count
      integer(c_int) :: status
    end function
    function c_writer_file_bytes(writer, bytes) bind(C, name="sill_writer_file_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_writer_longest_trace_bytes(writer, bytes) &
        bind(C, name="sill_writer_longest_trace_bytes") result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int64_t) :: bytes
      integer(c_int) :: status
    end function
    function c_writer_finish(writer) bind(C, name="sill_writer_finish") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: writer
      integer(c_int) :: status
    end function
    function c_writer_free(writer) bind(C, name="sill_writer_free") result(status)
      import :: c_int, c_ptr
      type(c_ptr) :: writer
      integer(c_int) :: status
    end function
    function c_read_word(header, word, byte_order, value) bind(C, name="sill_read_word") result(status)
      import :: c_char, c_double, c_int, c_int8_t
      integer(c_int8_t), intent(in) :: header(*)
      character(kind=c_char), intent(in) :: word(*)
      integer(c_int), value :: byte_order
      real(c_double) :: value
      integer(c_int) :: status
    end function
    function c_write_word(header, word, byte_order, value) bind(C, name="sill_write_word") result(status)
      import :: c_char, c_double, c_int, c_int8_t
      integer(c_int8_t) :: header(*)
      character(kind=c_char), intent(in) :: word(*)
      integer(c_int), value :: byte_order
      real(c_double), value :: value
      integer(c_int) :: status
    end function
    function c_block_true_values(block, word, values) bind(C, name="sill_block_true_values") result(status)
      import :: c_block, c_char, c_double, c_int
      type(c_block), intent(in) :: block
      character(kind=c_char), intent(in) :: word(*)
      real(c_double) :: values(*)
      integer(c_int) :: status
    end function
    function c_block_set_true_values(block, word, values) bind(C, name="sill_block_set_true_values") result(status)
      import :: c_block, c_char, c_double, c_int
      type(c_block) :: block
      character(kind=c_char), intent(in) :: word(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: status
    end function
    function c_stream_run(reader, options, work, context, result) bind(C, name="sill_stream_run") result(status)
      import :: c_funptr, c_int, c_ptr, c_stream_options, c_stream_result
      type(c_ptr), value :: reader
      type(c_stream_options), intent(in) :: options
      type(c_funptr), value :: work
      type(c_ptr), value :: context
      type(c_stream_result) :: result
      integer(c_int) :: status
    end function
    function c_flow_run(session, inputs, count, output, flow, options, result) &
        bind(C, name="sill_flow_run") result(status)
      import :: c_char, c_flow_options, c_flow_result, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      type(c_ptr), intent(in) :: inputs(*)
      integer(c_int64_t), value :: count
      character(kind=c_char), intent(in) :: output(*)
      character(kind=c_char), intent(in) :: flow(*)
      type(c_flow_options), intent(in) :: options
      type(c_flow_result) :: result
      integer(c_int) :: status
    end function
    function c_flow_add_operation(operation) bind(C, name="sill_flow_add_operation") result(status)
      import :: c_int, c_operation
      type(c_operation), intent(in) :: operation
      integer(c_int) :: status
    end function
    function c_strlen(text) bind(C, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface
end module
