import type { ProofSize } from '../proof.ts';
import type { Thresholds } from './record.ts';

/** What is asked of one run. */
export interface AddressesSize {
  /** Every how manieth form is taken. */
  everyForm: number;
  /** How many of them are named as callbacks; all others are images and results only. */
  callbackForms: number;
  everyDynamic: number;
  everyLegitimate: number;
  includesSlow: boolean;
  addresses: number;
  /** Left out: another one each time. */
  seed?: number;
  thresholds: Thresholds;
}

/** Multicast, link-local without a zone and a few others cannot be connected to, guard or not. */
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
