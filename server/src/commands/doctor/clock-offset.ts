import { type Finding, failed, ok, warning } from './doctor-check.ts';

interface ClockOffset {
  name: string;
  /** How far the clock is ahead of this machine's. */
  offsetMilliseconds: number;
}

/** 5 s: leases, signatures and time limits allow for a few seconds. */
const tooFarMilliseconds = 5_000;
/** A Date header has whole seconds, so less than this says nothing. */
const noticedMilliseconds = 2_000;

/** Judges clocks by how far they are from this machine's. */
export function judgeClock(clocks: readonly ClockOffset[]): Finding {
  const describe = (limit: number): string =>
    clocks
      .filter(({ offsetMilliseconds }) => Math.abs(offsetMilliseconds) > limit)
      .map(({ name, offsetMilliseconds }) => {
        const seconds = Math.round(Math.abs(offsetMilliseconds) / 1000);
        return `The clock of ${name} is ${seconds} s ${offsetMilliseconds > 0 ? 'ahead of' : 'behind'} this machine's.`;
      })
      .join(' ');
  const remedy = 'Synchronise the clocks of both machines by NTP (chrony or systemd-timesyncd).';
  const far = describe(tooFarMilliseconds);
  if (far !== '') return failed(far, remedy);
  const noticed = describe(noticedMilliseconds);
  if (noticed !== '') return warning(noticed, remedy);
  return ok(clocks.length === 0 ? 'No clock could be compared.' : "The clocks agree with this machine's.");
}

/** How far an HTTP server's clock is ahead, by any Date header; null without one. Throws if it does not respond. */
export async function readHttpClock(url: string): Promise<number | null> {
  const before = Date.now();
  const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(8_000) });
  const after = Date.now();
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header has no fractions of a second: on average half a second is cut off.
  return Number.isNaN(date) ? null : date + 500 - (before + after) / 2;
}
