/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_COMMON_VERSION_H_
#define OD_TOOLS_COMMON_VERSION_H_

/* The API version as each part of an installation tells it: "3.3.109". A mismatch means that parts
 * of two installations are mixed. */

#define TOOL_VERSION_SIZE 128

/* Of the libraries that this program runs with. */
const char *tool_version(void);

/* A file of one line, without its newline; "" when it cannot be read. A file of several lines comes
 * back as it is, so that it equals no version. */
void tool_version_of_file(const char *path, char version[TOOL_VERSION_SIZE]);

/* What pkg-config says for doca-common: in the user's search path, then in this tree. "" when it
 * says nothing. */
void tool_version_of_pkg_config(char version[TOOL_VERSION_SIZE]);

#endif /* OD_TOOLS_COMMON_VERSION_H_ */
