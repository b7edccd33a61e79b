import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { kilobytesIn } from '@kinora/stack/harness/resident-bytes';
import type { Decoder } from './observation.ts';

const sampleMilliseconds = 25;

export interface DecoderWatch {
  /** Returns every process that was observed decoding so far. */
  decoders(): Decoder[];
  close(): void;
}

/** Samples a process's boxed decoders. The kernel records each peak, so one sample shortly before the end is enough. */
export function watchDecoders(parentPid: number): DecoderWatch {
  const seen = new Map<number, Decoder>();
  const ownNetwork = readlinkSync(`/proc/${parentPid}/ns/net`);
  const sample = (): void => {
    for (const pid of childrenOf(parentPid).flatMap(childrenOf)) {
      const decoder = readDecoder(pid, ownNetwork);
      if (decoder) seen.set(pid, { ...decoder, peakBytes: Math.max(decoder.peakBytes, seen.get(pid)?.peakBytes ?? 0) });
    }
  };
  const timer = setInterval(sample, sampleMilliseconds);
  return { decoders: () => [...seen.values()], close: () => clearInterval(timer) };
}

/** Returns the processes that any thread of a process has started. Boxed children are those of its kinora-media. */
function childrenOf(pid: number): number[] {
  const threads = orNull(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) => {
    const children = orNull(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')) ?? '';
    return children.split(' ').filter(Boolean).map(Number);
  });
}

/** Returns null if the process is not a decoder, is still being launched, or has exited. */
function readDecoder(pid: number, ownNetwork: string): Decoder | null {
  return orNull(() => {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    // A decoder is in its box only after the child of kinora-media has become node.
    const isDecoder = words[0]?.endsWith('node') && words.some((word) => /image-child\.[jt]s$/.test(word));
    if (!isDecoder) return null;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const devices = readFileSync(`/proc/${pid}/net/dev`, 'utf8').split('\n').slice(2);
    const decoder = {
      pid,
      peakBytes: kilobytesIn(status, 'VmHWM') * 1024,
      isApart: readlinkSync(`/proc/${pid}/ns/net`) !== ownNetwork,
      interfaces: devices.map((line) => line.split(':')[0]?.trim() ?? '').filter(Boolean),
    };
    // A process that has exited retains its name for a moment, but not its memory.
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
