/** The largest file that is taken from an engine: 2 GiB, far more than ten seconds of any video need. */
export const maximumRawBytes = 2 * 1024 ** 3;
