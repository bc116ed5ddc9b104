/* SPDX-License-Identifier: Apache-2.0 */
/* What waves/ adds to fstapi: the library keeps quiet about failed writes, so its files and exits
 * are led through the functions behind these. One writer is open at a time per thread. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Forgets what was before. */
void nicsim_fst_reset(void);
/* The errno of the first write that failed since the reset, or 0. */
int nicsim_fst_error(void);
/* The status with which it gives up when a name has no end. */
enum { NICSIM_FST_ENDLESS = 1000 };
/* Called instead of exit() when the library gives up; must not return. */
extern void (*nicsim_fst_give_up)(int status);

#ifdef __cplusplus
}
#endif
