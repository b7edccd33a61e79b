/** A task that began at the engine, by the engine's clock in milliseconds. */
export interface Start {
  taskId: string;
  project: string;
  beganAt: number;
  endedAt: number;
}

/** With what the service's rows say of it, in milliseconds since 1970. */
export interface BusyStart extends Start {
  slot: number;
  /** When the service began it, before it handed it to the engine. */
  startedAt: number;
  /** When the service saw that the engine was done. */
  freedAt: number;
}

/** A project whose tasks all waited before the first of them began. */
export interface Backlog {
  project: string;
  weight: number;
  tasks: number;
}

/** A `queue_position` as it was read, and what came of it. */
export interface PositionSample {
  position: number;
  /** How many tasks of the pool really began from the read on until this one had, itself included. */
  begun: number;
}

/** How long a task was admitted and waited, in milliseconds since 1970. */
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
    starts: Start[] /** Each from its admission to its end. */;
    running: (AdmittedWait & { project: string })[];
  };
  busy: { starts: BusyStart[]; waits: AdmittedWait[] };
  positions: PositionSample[];
}
