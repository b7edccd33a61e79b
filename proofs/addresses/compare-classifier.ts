import type { Random } from '@kinora/stack/harness/seeded-random';
import { judgeAddress } from './judge-address.ts';
import { randomAddress, spell } from './random-addresses.ts';

/** Small, because the name server of the proof waits meanwhile. */
const batchSize = 2_000;

/** How the server's classifier and the registries compare. */
export interface Comparison {
  compared: number;
  publicOnes: number;
  /** Refused although the registries do not ask for it, on purpose. */
  strictOnPurpose: number;
  disagreements: { address: string; expected: string; got: string }[];
}

/** Puts random addresses to the classifier. */
export async function compareClassifier(
  classify: (address: string) => Promise<string>,
  random: Random,
  count: number,
  onProgress: (compared: number) => void,
): Promise<Comparison> {
  const comparison: Comparison = { compared: 0, publicOnes: 0, strictOnPurpose: 0, disagreements: [] };
  let begun = 0;
  const runLane = async (): Promise<void> => {
    while (begun < count) {
      const batch = Math.min(batchSize, count - begun);
      begun += batch;
      const addresses = Array.from({ length: batch }, () => randomAddress(random));
      const texts = addresses.map((address) => spell(random, address));
      const classes = await Promise.all(texts.map(classify));
      for (const [index, address] of addresses.entries()) {
        const { verdict, by } = judgeAddress(address);
        const got = classes[index] ?? 'nothing';
        if (verdict === 'public') comparison.publicOnes += 1;
        if (by === 'ours') comparison.strictOnPurpose += 1;
        if (got !== verdict) comparison.disagreements.push({ address: texts[index] ?? '', expected: verdict, got });
      }
      comparison.compared += batch;
      onProgress(comparison.compared);
    }
  };
  // Two, so that one judges while the other waits for the classifier.
  await Promise.all([runLane(), runLane()]);
  return comparison;
}
