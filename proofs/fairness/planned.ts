/** The promised figures, and the least that a run must have done for them to count. */
export interface Planned {
  fewestEqualStarts: number;
  fewestWeightedStarts: number;
  fewestLightStarts: number;
  fewestLightTasks: number;
  fewestCappedStarts: number;
  fewestBusyStarts: number;
  /** Of each kind, at rest and while tasks begin. */
  fewestPositions: number;
  leastJain: number;
  /** How far the shares of weights may be off, as a fraction. */
  weightTolerance: number;
  leastBusy: number;
  /** How far the median position may be off, as a fraction; one place is always allowed. */
  positionTolerance: number;
}
