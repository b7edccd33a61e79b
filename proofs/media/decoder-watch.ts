import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { kilobytesIn } from '@kinora/stack/harness/resident-bytes';
import type { Decoder } from './observation.ts';

const lookMilliseconds = 25;

export interface DecoderWatch {
  /** Every process that was seen decoding so far. */
  decoders(): Decoder[];
  close(): void;
}

/**
 * Looks again and again at the children of a process that decode images. The kernel itself remembers the most memory that each
 * ever had, so a look shortly before its end is enough.
 */
export function watchDecoders(parentPid: number): DecoderWatch {
  const seen = new Map<number, Decoder>();
  const ownNetwork = readlinkSync(`/proc/${parentPid}/ns/net`);
  const look = (): void => {
    for (const pid of childrenOf(parentPid)) {
      const decoder = readDecoder(pid, ownNetwork);
      if (decoder) seen.set(pid, { ...decoder, peakBytes: Math.max(decoder.peakBytes, seen.get(pid)?.peakBytes ?? 0) });
    }
  };
  const timer = setInterval(look, lookMilliseconds);
  return { decoders: () => [...seen.values()], close: () => clearInterval(timer) };
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => {
    const text = orNull(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '';
    return text.split(' ').filter(Boolean).map(Number);
  });
}

/** Null for a process that is something else, not yet what it will be, or gone. */
function readDecoder(pid: number, ownNetwork: string): Decoder | null {
  return orNull(() => {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    // Until the last of its launchers has become node, it is not in its box.
    const isDecoder = words[0]?.endsWith('node') && words.some((word) => word.endsWith('image-child.ts'));
    if (!isDecoder) return null;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const devices = readFileSync(`/proc/${pid}/net/dev`, 'utf8').split('\n').slice(2);
    const decoder = {
      pid,
      peakBytes: kilobytesIn(status, 'VmHWM') * 1024,
      isApart: readlinkSync(`/proc/${pid}/ns/net`) !== ownNetwork,
      interfaces: devices.map((line) => line.split(':')[0]?.trim() ?? '').filter(Boolean),
    };
    // A process that has ended keeps its name for a moment, but not its memory.
    return decoder.peakBytes > 0 ? decoder : null;
  });
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
