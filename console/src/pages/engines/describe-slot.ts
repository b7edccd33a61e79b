import type { Endpoint, EndpointState, EngineBoard, Pool, Slot } from '../../api/engines.ts';

/** How a slot is drawn. `suspect` gets jobs only to try it out; of `unwatched` ones nothing is known. */
export type SlotLook = 'busy' | 'idle' | 'draining' | 'broken' | 'suspect' | 'unwatched';

export interface SlotDescription {
  look: SlotLook;
  word: string;
  /** Since when, or until when for tripped endpoints; in seconds, null if unknown. */
  seconds: number | null;
  /** Whether `seconds` counts down. */
  isUntil: boolean;
  progress: number | null;
}

const ofEndpoint: Record<EndpointState, [SlotLook, string]> = {
  accepting: ['idle', 'Idle'],
  draining: ['draining', 'Drained'],
  drained: ['draining', 'Drained'],
  tripped: ['broken', 'Tripped'],
  probation: ['suspect', 'Probation'],
  unreachable: ['broken', 'Unreachable'],
  unprobed: ['unwatched', 'Unknown'],
};

/** Returns what a slot shows. A job that runs is shown even if its endpoint gets no more. */
export function describeSlot(endpoint: Endpoint, slot: Slot | null, now: number): SlotDescription {
  const age = (since: number | null | undefined) => (since == null ? null : Math.max(0, now - since));
  if (slot?.state === 'busy')
    return { look: 'busy', word: 'Busy', seconds: age(slot.since), isUntil: false, progress: slot.progress };
  if (slot?.state === 'draining')
    return { look: 'draining', word: 'Draining', seconds: age(slot.since), isUntil: false, progress: null };
  const [look, word] = ofEndpoint[endpoint.state];
  if (endpoint.state === 'tripped' && endpoint.tripped_until !== null) {
    const seconds = Math.max(0, endpoint.tripped_until - now);
    return { look, word, seconds, isUntil: true, progress: null };
  }
  const since = endpoint.state === 'accepting' ? slot?.since : endpoint.since;
  return { look, word, seconds: age(since), isUntil: false, progress: null };
}

/** Returns the slots of an endpoint; one that nobody has seen yet has a place on the board, too. */
export function slotsOf({ slots }: Endpoint): readonly (Slot | null)[] {
  return slots.length > 0 ? slots : [null];
}

/** Returns how many slots look like what. */
export function countSlots({ pools, generated_at }: EngineBoard): Record<SlotLook, number> {
  const counts = { busy: 0, idle: 0, draining: 0, broken: 0, suspect: 0, unwatched: 0 };
  for (const endpoint of pools.flatMap((pool: Pool) => pool.endpoints)) {
    for (const slot of slotsOf(endpoint)) counts[describeSlot(endpoint, slot, generated_at).look] += 1;
  }
  return counts;
}
