/** Everything that the checker sees of a run. */
export interface Evidence {
  keys: string[];
  requestsPerKey: number;
  /** The final response to each request; requests with a 409, 429 or 503 were retried. */
  responses: CreateResponse[];
  /** Rows of the database. */
  tasks: { id: string; key: string | null }[];
  records: { key: string; taskId: string | null }[];
  /** The project's counts. No task may run, so every task waits. */
  counted: { running: number; waiting: number };
  kills: number;
  killsBeforeResponse: number;
  brokenRequests: number;
  /** How many responses of each status made a client retry. */
  retriesByStatus: Map<number, number>;
  /** Seconds from the first request of a key to its first final response. */
  firstResponseSeconds: Map<string, number>;
}

export interface CreateResponse {
  key: string;
  status: number;
  isReplayed: boolean;
  body: string;
}
