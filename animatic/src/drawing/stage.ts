/**
 * The frame that a picture is composed for. Lengths are in units: the short side of the frame is 1, so that a tree is a tree
 * in every ratio; what must fill the frame takes its width and height.
 */
export interface Stage {
  width: number;
  height: number;
  /** Where land or sea meets the sky, in units from the top. */
  horizon: number;
  /** Every layer is drawn this far beyond the frame: the camera moves, and no border may show. */
  bleed: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const bleed = 0.4;

/** The stage of a frame; the horizon as a part of the height. */
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
