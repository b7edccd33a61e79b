/** For calls that take a signal: the limit of the test ends what hangs. */
export const neverAborted = new AbortController().signal;
