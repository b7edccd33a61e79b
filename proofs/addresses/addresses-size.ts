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
  thresholds: Thresholds;
}

/** Less than 1, because no process can connect to multicast, to link-local without a zone and to a few others. */
const controlShare = 0.9;

export const sizes: Record<ProofSize, AddressesSize> = {
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
