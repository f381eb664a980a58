/* Files read from end to end, and descriptors written to, by a thread that may wait for them.
 * POSIX. */
#ifndef OL_CORE_FILE_H
#define OL_CORE_FILE_H

#include "core/contexts.h"
#include "core/crc.h"

/* The most that is read, and the most that is summed and written, in one piece. */
#define OL_FILE_READ ((size_t)1 << 20)
#define OL_FILE_WRITE ((size_t)1 << 18)

/* Takes a piece of a file, which is gone afterwards. A failure ends the reading. */
typedef ol_status ol_file_take(void *context, ol_bytes piece, ol_run *run);

/* Hands a file over piece by piece, from its start to where its end is when it is opened, or before
 * that if it shrinks meanwhile; files that tell no size, as those in /proc, to their end. Never
 * waits for what may never come: OL_ARG_VALUE for a pipe, a socket or a character device, OL_SYSTEM
 * with EISDIR for a directory. Looks at the cancel flag before each piece. path outlives the
 * failure. */
ol_status ol_file_read(const char *path, ol_file_take *take, void *context, ol_run *run);

/* Writes all of data to a descriptor, in as many calls as it takes, and adds it to sum. position:
 * where in the file; -1: where the descriptor stands. Waits where the descriptor would have it
 * tried again later (EAGAIN). Looks at the cancel flag before each piece and while it waits.
 * After OL_SYSTEM failure->written tells how much was written. Data of no size is written too, so
 * that a bad descriptor is noticed. */
ol_status ol_file_write(int descriptor, ol_bytes data, int64_t position, ol_crc_sum *sum,
                        ol_run *run);

#endif
