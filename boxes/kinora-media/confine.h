#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The rights of one child. Strings are owned by the caller. */
struct rights {
  uint64_t data_bytes, address_bytes /* 0: no limit */, cpu_seconds, file_bytes;
  const char *program, *folder;
  const char *const *readable; /* ends with NULL */
};

/* The version of Landlock in this kernel, or 0 with errno if it cannot be used. */
int landlock_version(void);

/* Enters new namespaces; processes that are started afterwards share one PID namespace. Returns 0, or -1 with errno. */
int enter_namespaces(void);

/* Gives up all capabilities and the right to gain any. */
void drop_capabilities(void);

int limit_resources(const struct rights *rights);

/* Leaves this process the files of its rights, and nothing else that Landlock guards. Returns 0, or -1 with errno. */
int restrict_files(const struct rights *rights);
