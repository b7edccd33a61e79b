/**
 * The frame that a picture is composed for. Lengths are in units: the short side of the frame is 1, so that a tree has
 * the same size in every aspect ratio. Things that must fill the frame use its width and height.
 */
export interface Stage {
  width: number;
  height: number;
  /** Where land or sea meets the sky, in units from the top. */
  horizon: number;
  /** How far beyond the frame every layer is drawn, because the camera moves and no border may show. */
  bleed: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const bleed = 0.4;

/** Creates the stage of a frame; the horizon is a fraction of the height. */
export function createStage(size: { width: number; height: number }, horizon: number): Stage {
  const unit = Math.min(size.width, size.height);
  const width = size.width / unit;
  const height = size.height / unit;
  return {
    width,
    height,
    horizon: horizon * height,
    bleed,
    left: -bleed,
    right: width + bleed,
    top: -bleed,
    bottom: height + bleed,
  };
}
