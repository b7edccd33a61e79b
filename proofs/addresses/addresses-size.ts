import type { ProofSize } from '../proof.ts';
import type { Thresholds } from './record.ts';

/** How much one run does, and the least that the judge accepts. */
export interface AddressesSize {
  /** 1 takes every form, 20 every twentieth; the same for the other two. */
  everyForm: number;
  /** How many of the forms are tried as callbacks too; all of them are tried as images and results. */
  callbackForms: number;
  everyDynamic: number;
  everyLegitimate: number;
  includesSlow: boolean;
  addresses: number;
  /** If absent, each run draws another seed. */
  seed?: number;
  thresholds: Thresholds;
}

/** Less than 1, because no process can connect to multicast, to link-local without a zone and to a few others. */
const controlShare = 0.9;

export const sizes: Record<ProofSize, AddressesSize> = {
  smoke: {
    everyForm: 20,
    callbackForms: 20,
    everyDynamic: 6,
    everyLegitimate: 4,
    includesSlow: false,
    addresses: 20_000,
    thresholds: { forms: 25, cases: 300, legitimate: 20, controlShare, addresses: 20_000 },
  },
  ci: {
    everyForm: 1,
    callbackForms: 330,
    everyDynamic: 1,
    everyLegitimate: 1,
    includesSlow: true,
    addresses: 1_000_000,
    thresholds: { forms: 320, cases: 3_000, legitimate: 80, controlShare, addresses: 1_000_000 },
  },
  full: {
    everyForm: 1,
    callbackForms: 1_000,
    everyDynamic: 1,
    everyLegitimate: 1,
    includesSlow: true,
    addresses: 20_000_000,
    thresholds: { forms: 320, cases: 3_000, legitimate: 80, controlShare, addresses: 20_000_000 },
  },
};
