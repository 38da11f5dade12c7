/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libdoca_gpunetio_device.a, which programs name when they link: all device functions are inline,
 * so nothing of it is needed.
 */
extern const char opendoca_device_functions_are_inline;
const char opendoca_device_functions_are_inline = 1;
