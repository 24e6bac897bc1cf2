/*===-- Message.h - Error messages --------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_MESSAGE_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_MESSAGE_H

#include "Cold.h"
#include <stddef.h>
#include <stdint.h>

/* The caller's buffer. `next` is at most `end`, where the last null character
 * fits. */
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

static inline void putString(Message *message, const char *string) {
  if (!message->next)
    return;
  while (*string && message->next != message->end)
    *message->next++ = *string++;
  *message->next = 0;
}

static inline void putNumber(Message *message, int64_t value) {
  char digits[21];
  char *first = digits + sizeof digits - 1;
  /* Negated as unsigned, because -INT64_MIN overflows. */
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  *first = 0;
  do {
    *--first = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (value < 0)
    *--first = '-';
  putString(message, first);
}

/* An argument of a format string. */
typedef union Value {
  const char *string;
  int64_t number;
} Value;
#define STRING(value) ((Value){.string = (value)})
#define NUMBER(value) ((Value){.number = (value)})

/*
 * Replaces %s by a string and %d by a number. The values are an array, because
 * the calling convention of variable arguments depends on the operating system,
 * and this code is compiled for only one.
 */
static inline COLD void putFormatted(Message *message, const char *format,
                                     const Value *values) {
  for (; *format; ++format) {
    char character[] = {*format, 0};
    if (*format != '%')
      putString(message, character);
    else if (*++format == 's')
      putString(message, values++->string);
    else
      putNumber(message, values++->number);
  }
}
#define PUT(message, format, ...)                                              \
  putFormatted(message, format, (const Value[]){__VA_ARGS__})

#endif
