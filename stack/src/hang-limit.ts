/**
 * How long anything may wait in tests, proofs and CI before it counts as hanging. This is the only such number: a shorter
 * limit would judge how busy the machine is. The lint rule `kinora/no-time-judgement` refuses others.
 */
export const hangLimitMilliseconds = 300_000;
