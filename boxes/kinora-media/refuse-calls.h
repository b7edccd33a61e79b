#pragma once

/* The only descriptor that may be executed. A child cannot have it: its limit of open files is lower. */
enum { program_descriptor = 900 };

/* Refuses every system call of this process that is not on the list, with ENOSYS. Returns 0, or -1 with errno. */
int refuse_calls(void);
