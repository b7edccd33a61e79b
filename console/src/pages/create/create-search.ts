export interface CreateSearch {}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readCreateSearch(_search: Record<string, unknown>): CreateSearch {
  return {};
}
