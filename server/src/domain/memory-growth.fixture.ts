import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Says by how much the used memory has grown, without garbage: it is collected first if it could decide the test. V8
 * frees buffers in the background, all of them only when the next collection begins.
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
