import type { ProofOutcome } from '../proof.ts';
import { columns, type Position } from './address-case.ts';
import type { CaseRecord, Evidence, Thresholds } from './record.ts';

/** A fetch has 10 s, and the machine may be busy; a callback has 20 s and waits in a queue first. */
const longestMilliseconds = { image_url: 20_000, result_url: 20_000, callback_url: 100_000 } as const;
/** Longer, because Kinora also decodes an image that it fetched, which this proof does not measure. */
const longestForGoodMilliseconds = 60_000;
const positions: readonly Position[] = ['submitted', 'redirect', 'dns', 'dynamic', 'legitimate'];

/** Judges the evidence of a run. */
export function judge(evidence: Evidence, thresholds: Thresholds): ProofOutcome {
  const { cases, trespasses, control, comparison } = evidence;
  const legitimate = cases.filter(({ position }) => position === 'legitimate');
  const carriedOut = cases.filter(({ wasCarriedOut }) => wasCarriedOut);
  const goodUrls = Math.min(
    ...columns.filter((column) => column !== 'callback_url').map((column) => ofColumn(legitimate, column)),
  );
  const controlShare = control.noticed / Math.max(1, control.forms);
  return {
    figures: {
      forms: evidence.forms,
      cases: carriedOut.length,
      ...Object.fromEntries(
        positions.map((position) => [position, cases.filter((one) => one.position === position).length]),
      ),
      ...Object.fromEntries(columns.map((column) => [column, ofColumn(cases, column)])),
      canaryConnections: trespasses.length,
      databaseKnocks: evidence.databaseKnocks,
      legitimateRefused: legitimate.filter(({ ending }) => ending !== 'fetched').length,
      slowestLegitimateMilliseconds: Math.max(0, ...legitimate.map(({ milliseconds }) => milliseconds)),
      controlForms: control.forms,
      controlNoticed: control.noticed,
      addressesCompared: comparison.compared,
      addressesPublic: comparison.publicOnes,
      addressesStrictOnPurpose: comparison.strictOnPurpose,
      addressDisagreements: comparison.disagreements.length,
    },
    failures: [
      ...trespasses.map(({ address, port, said }) => `a connection reached ${address} port ${port}, sending "${said}"`),
      ...(evidence.databaseKnocks > 0 ? [`${evidence.databaseKnocks} connections reached the stack's Postgres`] : []),
      ...cases.flatMap(objections),
      ...comparison.disagreements
        .slice(0, 20)
        .map(
          ({ address, expected, got }) => `${address} is ${expected} by the registries, but ${got} by the classifier`,
        ),
      ...tooFew('forms', evidence.forms, thresholds.forms),
      ...tooFew('cases', carriedOut.length, thresholds.cases),
      ...tooFew('legitimate URLs', goodUrls, thresholds.legitimate),
      ...tooFew('addresses', comparison.compared, thresholds.addresses),
      ...(controlShare < thresholds.controlShare
        ? [
            `without the guard the canary noticed only ${control.noticed} of ${control.forms} forms, so it may have missed connections`,
          ]
        : []),
      ...(control.databaseKnocks === 0
        ? ["without the guard the stack's Postgres logged no connection, so its log may have missed others"]
        : []),
    ],
  };
}

function objections(record: CaseRecord): string[] {
  const { column, position, what, url, allowed, ending, detail, wasCarriedOut, milliseconds } = record;
  const name = `${column} ${position} (${what}) ${JSON.stringify(url.slice(0, 120))}`;
  const limit = allowed.includes('fetched') ? longestForGoodMilliseconds : longestMilliseconds[column];
  const isAllowed = allowed.some((one) => one === ending);
  return [
    ...(isAllowed ? [] : [`${name} ended as ${ending} (${detail}), not as ${allowed.join(' or ')}`]),
    // A case that Kinora refused before anything could happen is judged by its ending, in the line above.
    ...(wasCarriedOut || !isAllowed ? [] : [`${name} did not happen: no server saw its redirect or query (${detail})`]),
    ...(milliseconds > limit ? [`${name} took ${Math.round(milliseconds)} ms; ${limit} ms are allowed`] : []),
  ];
}

function tooFew(what: string, count: number, least: number): string[] {
  return count < least ? [`only ${count} ${what}; at least ${least} are required`] : [];
}

function ofColumn(cases: readonly CaseRecord[], column: CaseRecord['column']): number {
  return cases.filter((one) => one.column === column).length;
}
