import type { Box } from '@kinora/boxes/box';
import type { Config } from '../../config/config.ts';
import type { Foundation } from '../../wiring/foundation.ts';
import type { EndpointReport } from '../endpoint-report.ts';
import type { BucketClient } from './bucket-client.ts';
import type { TemporalClient } from './temporal-client.ts';

/** `skipped`: not checked, because another check failed. */
type Verdict = 'ok' | 'warning' | 'failed' | 'skipped';

/** What a check found. No text repeats a secret. */
export interface Finding {
  verdict: Verdict;
  /** What was found, as a sentence. */
  message: string;
  /** What to do; null if nothing is wrong. */
  remedy: string | null;
}

/** What checks use. Nothing connects before it is used. */
export interface DoctorParts {
  config: Config;
  /** The problems that the settings have for a role in this environment. */
  problems: SettingProblems;
  foundation: Foundation;
  temporal: TemporalClient;
  bucket: BucketClient;
  /** Probes all endpoints once. */
  endpoints: () => Promise<readonly EndpointReport[]>;
  /** Starts kinora-media once, as a role does. */
  box: () => Promise<Box>;
}

export interface SettingProblems {
  secrets: readonly string[];
  plainText: readonly string[];
  others: readonly string[];
}

/** One thing that `kinora-server doctor` looks at. docs/operations/doctor-checks.md is generated from these. */
export interface DoctorCheck {
  /** The part and what is checked of it, stable, for programs. */
  id: string;
  /** What it looks at, for the page of checks. */
  looksAt: string;
  /** The checks without which this one says nothing. */
  needs: readonly string[];
  /** How long it may take; 10 s if it does not say. */
  seconds?: number;
  run(parts: DoctorParts): Promise<Finding>;
}

export const ok = (message: string): Finding => ({ verdict: 'ok', message, remedy: null });
export const warning = (message: string, remedy: string): Finding => ({ verdict: 'warning', message, remedy });
export const failed = (message: string, remedy: string): Finding => ({ verdict: 'failed', message, remedy });
export const failedAs = ({ reason, remedy }: { reason: string; remedy: string }): Finding => failed(reason, remedy);
export const skipped = (message: string): Finding => ({ verdict: 'skipped', message, remedy: null });
