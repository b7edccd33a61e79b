import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';

const gauge = /^kinora_reconciler_last_round_timestamp_seconds(?:\{[^}]*\})? ([\d.e+]+)/m;
const everyMilliseconds = 500;
/** 30 s: a frozen relay responds when it goes on, unless its connection is lost. */
const tryMilliseconds = hangLimitMilliseconds / 10;

/** Records when rounds of the reconciler ended. */
export interface RoundWatch {
  /** Which relay ended a round, and when: unix milliseconds of this process, as a relay's may be wrong on purpose. */
  ended: { copy: number; at: number }[];
  close(): void;
}

/** Reads the gauge of each relay twice per second: a new value means that a round has ended. */
export function watchRounds(privatePorts: readonly number[]): RoundWatch {
  const ended: RoundWatch['ended'] = [];
  const timers = privatePorts.map((port, copy) => {
    let last: string | null = null;
    let isReading = false;
    const poll = async (): Promise<void> => {
      if (isReading) return;
      isReading = true;
      const value = await readGauge(port);
      isReading = false;
      if (value !== null && value !== last) ended.push({ copy, at: Date.now() });
      last = value ?? last;
    };
    return setInterval(() => void poll(), everyMilliseconds);
  });
  return {
    ended,
    close: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Returns null while the relay is down or has not finished a round. */
async function readGauge(port: number): Promise<string | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(tryMilliseconds) });
    const value = gauge.exec(await response.text())?.[1] ?? null;
    return value === null || Number(value) === 0 ? null : value;
  } catch {
    return null;
  }
}
