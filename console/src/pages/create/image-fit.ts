export const aspectRatios = ['16:9', '9:16', '4:3', '3:4', '21:9', '1:1'] as const;
export type AspectRatio = (typeof aspectRatios)[number];
export const imageFits = ['crop', 'pad', 'stretch'] as const;
export type ImageFit = (typeof imageFits)[number];

interface Size {
  width: number;
  height: number;
}

/** Returns width divided by height. */
export function ratioOf(aspectRatio: AspectRatio): number {
  const [width = 1, height = 1] = aspectRatio.split(':').map(Number);
  return width / height;
}

/** Returns the ratio that changes an image least, by the rule of the service: distances are compared as factors. */
export function nearestRatio({ width, height }: Size, among: readonly AspectRatio[]): AspectRatio {
  const distance = (ratio: AspectRatio) => Math.abs(Math.log(width / height / ratioOf(ratio)));
  return among.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** What fitting does to an image: shares of the image that are kept, and shares of the frame that it fills. */
export interface Fitted {
  /** The part of the image that is kept, as shares of its width and height. It is always centred. */
  kept: Size;
  /** The part of the frame that the image fills, as shares of its width and height. It is always centred. */
  filled: Size;
  /** What happens, in words. */
  words: string;
}

/** Returns what the service does to an image to bring it into the ratio: crop and pad are centred, bars are black. */
export function fitImage(image: Size, aspectRatio: AspectRatio, fit: ImageFit): Fitted {
  const whole = { width: 1, height: 1 };
  // Above 1: the image is wider than the frame.
  const excess = image.width / image.height / ratioOf(aspectRatio);
  // Half a percent is less than what rounding to whole pixels changes.
  if (Math.abs(excess - 1) < 0.005) {
    return { kept: whole, filled: whole, words: 'The image fits the frame as it is.' };
  }
  const isWider = excess > 1;
  const share = isWider ? 1 / excess : excess;
  const shrunk = isWider ? { width: share, height: 1 } : { width: 1, height: share };
  const lost = percent(1 - share);
  if (fit === 'crop') {
    const sides = isWider ? 'left and right' : 'top and bottom';
    return { kept: shrunk, filled: whole, words: `Cuts off ${lost} of the image, ${sides}.` };
  }
  if (fit === 'pad') {
    const bars = { width: shrunk.height, height: shrunk.width };
    const sides = isWider ? 'above and below' : 'left and right';
    return {
      kept: whole,
      filled: bars,
      words: `Keeps all of the image. Black bars ${sides} take ${lost} of the frame.`,
    };
  }
  const words = `Keeps all of the image, but stretches it to ${percent(1 / share)} of its ${isWider ? 'height' : 'width'}.`;
  return { kept: whole, filled: whole, words };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
