import type { ProofOutcome } from '../proof.ts';
import { columns, type Position } from './address-case.ts';
import type { CaseRecord, Evidence, Thresholds } from './record.ts';

/** A fetch has 10 s, and the machine may be busy; a callback has 20 s and a queue before it. */
const longestMilliseconds = { image_url: 20_000, result_url: 20_000, callback_url: 100_000 } as const;
/** What was fetched is looked at as well, which is not what this is about. */
const longestForGoodMilliseconds = 60_000;
const positions: readonly Position[] = ['submitted', 'redirect', 'dns', 'dynamic', 'legitimate'];

/** Whether the promise was kept, by what was seen. */
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
      ...trespasses.map(({ address, port, said }) => `a connection reached ${address} port ${port}, saying "${said}"`),
      ...(evidence.databaseKnocks > 0 ? [`${evidence.databaseKnocks} connections reached the stack's Postgres`] : []),
      ...cases.flatMap(objections),
      ...comparison.disagreements
        .slice(0, 20)
        .map(({ address, expected, got }) => `${address} is ${expected} by the registries, the classifier says ${got}`),
      ...tooFew('forms', evidence.forms, thresholds.forms),
      ...tooFew('cases', carriedOut.length, thresholds.cases),
      ...tooFew('legitimate URLs', goodUrls, thresholds.legitimate),
      ...tooFew('addresses', comparison.compared, thresholds.addresses),
      ...(controlShare < thresholds.controlShare
        ? [`with the guard open the canary noticed ${control.noticed} of ${control.forms} forms: it is deaf`]
        : []),
      ...(control.databaseKnocks === 0
        ? ["with the guard open nothing was seen at the stack's Postgres: that watch is blind"]
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
    ...(isAllowed ? [] : [`${name} ended in ${ending} (${detail}), not in ${allowed.join(' or ')}`]),
    // Refused before anything could happen is an ending of its own, which the line above judges.
    ...(wasCarriedOut || !isAllowed
      ? []
      : [`${name} was not carried out: what it is about never happened (${detail})`]),
    ...(milliseconds > limit ? [`${name} took ${Math.round(milliseconds)} ms, ${limit} are allowed`] : []),
  ];
}

function tooFew(what: string, count: number, least: number): string[] {
  return count < least ? [`only ${count} ${what}; ${least} are promised`] : [];
}

function ofColumn(cases: readonly CaseRecord[], column: CaseRecord['column']): number {
  return cases.filter((one) => one.column === column).length;
}
