export interface EnginesSearch {
  /** Only endpoints that need attention. */
  show?: 'problems';
  /** The endpoint whose details are open. */
  endpoint?: string;
}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readEnginesSearch({ show, endpoint }: Record<string, unknown>): EnginesSearch {
  return {
    ...(show === 'problems' ? { show } : {}),
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
  };
}
