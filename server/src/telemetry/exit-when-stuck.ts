import { Worker } from 'node:worker_threads';

/** Far longer than any work of the main thread, also on a machine that is overloaded. */
const stuckSeconds = 60;
const beatMilliseconds = 1_000;

/**
 * Ends this process if its main thread does nothing for a minute: it can then neither work nor end itself, and most
 * supervisors restart only what has exited. Another thread counts its own seconds, so a process that was frozen as a whole
 * is not taken for stuck. Returns a function that stops it.
 */
export function exitWhenStuck(limitSeconds = stuckSeconds): () => void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => Atomics.add(beats, 0, 1), beatMilliseconds).unref();
  const watcher = new Worker(watch, { eval: true, execArgv: [], workerData: { beats, limitSeconds } });
  watcher.unref();
  return () => {
    clearInterval(timer);
    void watcher.terminate();
  };
}

/** The program of the other thread. Only SIGKILL ends a process whose main thread does not respond. */
const watch = `
  const { workerData: { beats, limitSeconds } } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  let last = -1;
  let silent = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    silent = now === last ? silent + 1 : 0;
    last = now;
    if (silent < limitSeconds) return;
    const line = { level: 60, time: new Date().toISOString(), pid: process.pid, event: 'process.stuck', seconds: silent, msg: 'main thread stuck, process ends' };
    writeSync(1, JSON.stringify(line) + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }, ${beatMilliseconds});
`;
