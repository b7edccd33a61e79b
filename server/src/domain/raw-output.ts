/** The largest file that is accepted from an engine: 2 GiB, far more than ten seconds of any video need. */
export const maximumRawBytes = 2 * 1024 ** 3;
