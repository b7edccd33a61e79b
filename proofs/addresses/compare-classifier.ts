import type { Random } from '@kinora/stack/harness/seeded-random';
import { judgeAddress } from './judge-address.ts';
import { randomAddress, spell } from './random-addresses.ts';

/** Small, because the proof's name server runs in this process and cannot respond while a batch is judged. */
const batchSize = 2_000;

/** The differences between the server's classifier and the registries. */
export interface Comparison {
  compared: number;
  publicOnes: number;
  /** Addresses that Kinora refuses on purpose although the registries do not require it. */
  strictOnPurpose: number;
  disagreements: { address: string; expected: string; got: string }[];
}

/** Classifies random addresses and compares the results with the registries. */
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
  // Two lanes, so that one judges while the other waits for the classifier.
  await Promise.all([runLane(), runLane()]);
  return comparison;
}
