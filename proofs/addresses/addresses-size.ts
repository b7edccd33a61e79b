import type { ProofSize } from '../proof.ts';
import type { Thresholds } from './record.ts';

/** How much one run does, and the least that the judge accepts. */
export interface AddressesSize {
  /** How many of the forms are tried as callbacks too; all of them are tried as images and results. */
  callbackForms: number;
  addresses: number;
  thresholds: Thresholds;
}

/** `controlShare` is below 1: no process can connect to multicast, to link-local without a zone and to a few others. */
const promised = { forms: 320, cases: 3_000, legitimate: 80, controlShare: 0.9 };

export const sizes: Record<ProofSize, AddressesSize> = {
  ci: { callbackForms: 330, addresses: 1_000_000, thresholds: { ...promised, addresses: 1_000_000 } },
  full: { callbackForms: 1_000, addresses: 20_000_000, thresholds: { ...promised, addresses: 20_000_000 } },
};
