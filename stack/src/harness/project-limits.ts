// Options of `kinora-server projects set`.

/** More than any test needs, so that a test never reaches a limit. */
export const ampleLimits = ['--running', '10', '--creates', '6000', '--reads', '60000'];

/** Tasks are accepted but never start: they wait until they are cancelled, so a test can create many at no cost. */
export const neverRunning = ['--running', '0', '--creates', '6000', '--reads', '60000', '--waiting', '1000'];
