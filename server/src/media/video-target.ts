/** What a delivered video must be exactly. */
export interface VideoTarget {
  width: number;
  height: number;
  fps: number;
  frameCount: number;
}
