/** Everything that was seen; the checker knows nothing else. */
export interface Evidence {
  keys: string[];
  requestsPerKey: number;
  /** The last answer to each request: those that say "later" were sent again. */
  answers: Answer[];
  /** Rows of the database. */
  tasks: { id: string; key: string | null }[];
  records: { key: string; taskId: string | null }[];
  /** Of the project. Nothing may run, so every task waits. */
  counted: { running: number; waiting: number };
  kills: number;
  killsBeforeResponse: number;
  brokenRequests: number;
  /** How many answers with each status told a client to come back. */
  comeBacks: Map<number, number>;
  /** How long after its first request a key was answered for the first time. */
  firstResponseSeconds: Map<string, number>;
}

export interface Answer {
  key: string;
  status: number;
  isReplayed: boolean;
  body: string;
}
