/** A task that began at the engine, by the engine's clock in milliseconds. */
export interface Start {
  taskId: string;
  project: string;
  beganAt: number;
  endedAt: number;
}

/** A start with the times in Kinora's rows, in milliseconds since 1970. */
export interface BusyStart extends Start {
  slot: number;
  /** When Kinora began the task, before it submitted the job to the engine. */
  startedAt: number;
  /** When Kinora noticed that the engine had finished. */
  freedAt: number;
}

/** A project whose tasks were all waiting before the first one began. */
export interface Backlog {
  project: string;
  weight: number;
  tasks: number;
}

/** A `queue_position` that was read, and the true position. */
export interface PositionSample {
  position: number;
  /** How many tasks of the pool began after the read, up to and including this one. */
  begun: number;
}

/** The span in which a task was admitted and waited, in milliseconds since 1970. */
export interface AdmittedWait {
  from: number;
  until: number;
}

export interface Evidence {
  slots: number;
  jobMilliseconds: number;
  equal: { backlogs: Backlog[]; starts: Start[] };
  weighted: { backlogs: Backlog[]; starts: Start[] };
  /** Seconds that light tasks waited, without and with a heavy neighbour. */
  light: { alone: number[]; beside: number[]; heavyWaiting: number };
  capped: {
    cap: number;
    starts: Start[];
    /** Each task from its admission to its end. */
    running: (AdmittedWait & { project: string })[];
  };
  busy: { starts: BusyStart[]; waits: AdmittedWait[] };
  positions: PositionSample[];
}
