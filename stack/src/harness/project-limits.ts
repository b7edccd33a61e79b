// Options of `kinora-server projects set`.

/** More than any test needs, so that no limit gets in its way. */
export const ampleLimits = ['--running', '10', '--creates', '6000', '--reads', '60000'];

/** Tasks are accepted and wait until they are cancelled, so they cost nothing. */
export const neverRunning = ['--running', '0', '--creates', '6000', '--reads', '60000', '--waiting', '1000'];
