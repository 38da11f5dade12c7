/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_COMMON_INSTALL_H_
#define OD_TOOLS_COMMON_INSTALL_H_

/* The installed tree that the running program belongs to, wherever it was moved to. */

/* From /proc/self/exe, "<prefix>/tools/<program>"; the configured prefix when that fails. */
const char *tool_prefix(void);

/* Folder of the libraries in that tree. */
const char *tool_libdir(void);

#endif /* OD_TOOLS_COMMON_INSTALL_H_ */
