export interface UsageSearch {}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readUsageSearch(_search: Record<string, unknown>): UsageSearch {
  return {};
}
