/** The exact properties of a delivered video. */
export interface VideoTarget {
  width: number;
  height: number;
  fps: number;
  frameCount: number;
}
