/* SPDX-License-Identifier: Apache-2.0 */
/* fstapi as Verilator ships it, compiled from the system's path, with these differences:
 *  - a failed write or close is remembered (the library ignores it),
 *  - its temporary files, which it maps into memory, are anonymous memory: they neither fill the
 *    disk (which would end in SIGBUS) nor stay behind when the program is killed, and reading a
 *    file needs no writable folder,
 *  - it does not end the program by itself,
 *  - a name that does not end before its file does is no reason to read on for ever,
 *  - what it packs with zlib (tables of times, mostly) is packed fast instead of small: at the
 *    library's own level 9 that took a third of a traced run. */
#define _GNU_SOURCE
#include "fst_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static _Thread_local int first_error;
static _Thread_local int ends_read;
enum { most_ends_read = 10000 };

void nicsim_fst_reset(void) { first_error = ends_read = 0; }
int nicsim_fst_error(void) { return first_error; }
void (*nicsim_fst_give_up)(int status) = _exit;

static void remember_error(void) {
    if (first_error == 0) first_error = errno != 0 ? errno : EIO;
}

static FILE* memory_file(void) {
    const int fd = memfd_create("fst", MFD_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, "w+b");
}

static FILE* watched_fopen(const char* name, const char* mode) {
    const size_t length = strlen(name);
    const char* hierarchy = strstr(name, ".hier");
    if (mode[0] == 'w' && hierarchy != NULL && (hierarchy[5] == 0 || hierarchy[5] == '_') &&
        length > 5)
        return memory_file();
    return fopen(name, mode);
}

static size_t watched_fwrite(const void* data, size_t size, size_t count, FILE* file) {
    errno = 0;
    const size_t done = fwrite(data, size, count, file);
    if (done != count) remember_error();
    return done;
}

static int watched_fclose(FILE* file) {
    errno = 0;
    if (ferror(file)) remember_error();
    const int result = fclose(file);
    if (result != 0) remember_error();
    return result;
}

/* Names are never removed: there are none but the target's own. */
static int keep_name(const char* name) {
    (void)name;
    return 0;
}

static void give_up(int status) {
    nicsim_fst_give_up(status);
    _exit(status);
}

/* Reads of the end of a file are few, except in loops that wait for another byte. */
static int patient_fgetc(FILE* file) {
    const int byte = fgetc(file);
    if (byte == EOF && ++ends_read > most_ends_read) give_up(NICSIM_FST_ENDLESS);
    return byte;
}

static int pack_fast(Bytef* to, uLongf* to_size, const Bytef* from, uLong size, int level) {
    return compress2(to, to_size, from, size, level > 1 ? 1 : level);
}

#define compress2 pack_fast
#define fgetc patient_fgetc
#define fopen watched_fopen
#define fwrite watched_fwrite
#define fclose watched_fclose
#define tmpfile memory_file
#define unlink keep_name
#define exit give_up
#include <fstapi.c>
