/*===-- Message.h - Error messages without a C library -----------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_MESSAGE_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

/* The caller's buffer. `next` stays below `end`, where the zero byte goes. */
typedef struct Message {
  char *next;
  char *end;
} Message;

static inline Message startMessage(char *error, size_t size) {
  Message message = {0, 0};
  if (error && size) {
    message.next = error;
    message.end = error + (size - 1);
    *error = 0;
  }
  return message;
}

static inline void putText(Message *message, const char *text) {
  if (!message->next)
    return;
  while (*text && message->next != message->end)
    *message->next++ = *text++;
  *message->next = 0;
}

static inline void putNumber(Message *message, int64_t value) {
  char digits[21];
  char *first = digits + sizeof digits - 1;
  /* Negated as unsigned: INT64_MIN has no positive counterpart. */
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  *first = 0;
  do {
    *--first = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (value < 0)
    *--first = '-';
  putText(message, first);
}

/* "cast: input 0 'x': " */
static inline void putArgument(Message *message, const char *function,
                               const char *kind, int64_t index,
                               const char *name) {
  putText(message, function);
  putText(message, ": ");
  putText(message, kind);
  putText(message, " ");
  putNumber(message, index);
  if (*name) {
    putText(message, " '");
    putText(message, name);
    putText(message, "'");
  }
  putText(message, ": ");
}

/* "expected <what> 3, but got 4" */
static inline void putExpected(Message *message, const char *what,
                               int64_t expected, int64_t given) {
  putText(message, "expected ");
  putText(message, what);
  putText(message, " ");
  putNumber(message, expected);
  putText(message, ", but got ");
  putNumber(message, given);
}

#endif
