// The folder of a Zarr dataset: what may be replaced, and the hidden folders next to it.
#pragma once

#include <string>
#include <string_view>

namespace sill {

/// Local. Returns the path of a dataset's folder without slashes at its end.
[[nodiscard]] std::string without_last_slashes(std::string path);

/// Local. Returns true if the folder is a group or an array of Zarr.
[[nodiscard]] bool is_zarr_folder(const std::string& path);

/// Local. Checks what exists at the path of a new group: nothing, an empty folder or, if it `replaces`, a group or an
/// array of Zarr with nothing in it but its metadata, its chunks, its arrays, the groups that its consolidated metadata
/// lists, and part files. Errors: usage for anything else; io.
void require_place_of_group(const std::string& path, bool replaces);

/// Local. Returns the path of the hidden folder `.NAME.sill-ENDING` next to the dataset NAME.
[[nodiscard]] std::string hidden_folder(const std::string& path, std::string_view ending);

/// Local. Renames a folder. Errors: io.
void rename_folder(const std::string& from, const std::string& to);

/// Local. Removes a folder and its contents, if it exists. Errors: io.
void remove_folder(const std::string& path);

/// Local. Removes the folder `.NAME.sill-new` of a killed run. If that run was replacing the dataset, gives the old
/// dataset its name again, unless the new one has it. Precondition: the dataset is locked. Errors: io.
void mend_left_folders(const std::string& path);

/// Local. Gives the complete folder `from` the name `path`. If a dataset has this name and the call `replaces`, the two
/// exchange their names. Returns true if `from` is now the old dataset. Errors: usage as require_place_of_group; io.
[[nodiscard]] bool rename_over(const std::string& from, const std::string& path, bool replaces);

}  // namespace sill
