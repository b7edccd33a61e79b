export interface WebhooksSearch {}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readWebhooksSearch(_search: Record<string, unknown>): WebhooksSearch {
  return {};
}
