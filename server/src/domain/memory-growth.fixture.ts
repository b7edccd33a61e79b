import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Returns a function that says by how much the memory in use has grown since. Tests limit this instead of the memory of
 * the process, which includes garbage. Garbage is collected first if it could decide the test. V8 frees collected
 * buffers in the background, and has freed all of them only when the next collection begins.
 */
export function measureGrowth(boundMegabytes: number): () => number {
  const usedMegabytes = (): number => {
    const { heapUsed, external } = process.memoryUsage(); // `external` includes buffers and long strings
    return (heapUsed + external) / 1e6;
  };
  collectGarbage();
  collectGarbage();
  const before = usedMegabytes();
  const grownMegabytes = (): number => usedMegabytes() - before;
  return () => {
    if (grownMegabytes() > boundMegabytes) collectGarbage();
    if (grownMegabytes() > boundMegabytes) collectGarbage();
    return grownMegabytes();
  };
}
