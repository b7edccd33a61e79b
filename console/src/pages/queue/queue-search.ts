export interface QueueSearch {}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readQueueSearch(_search: Record<string, unknown>): QueueSearch {
  return {};
}
