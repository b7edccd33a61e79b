/** A colour in OKLCH: lightness 0..1, chroma 0..0.37, hue in degrees. Colours mixed in it do not turn muddy. */
export interface Colour {
  lightness: number;
  chroma: number;
  hue: number;
}

/** Creates a colour from its three numbers: `colour(0.7, 0.12, 240)` is a clear sky. */
export function colour(lightness: number, chroma: number, hue: number): Colour {
  return { lightness, chroma, hue };
}

/** Mixes two colours; `amount` goes from 0, the first, to 1, the second. */
export function mix(from: Colour, to: Colour, amount: number): Colour {
  const [fromA, fromB] = axesOf(from);
  const [toA, toB] = axesOf(to);
  const a = fromA + (toA - fromA) * amount;
  const b = fromB + (toB - fromB) * amount;
  return {
    lightness: from.lightness + (to.lightness - from.lightness) * amount,
    chroma: Math.hypot(a, b),
    hue: (Math.atan2(b, a) * 180) / Math.PI,
  };
}

/** Returns the same hue, lighter or darker by an amount of lightness. */
export function lighten(base: Colour, amount: number): Colour {
  return { ...base, lightness: Math.min(1, Math.max(0, base.lightness + amount)) };
}

/** Returns the same colour with its chroma multiplied. */
export function saturate(base: Colour, factor: number): Colour {
  return { ...base, chroma: base.chroma * factor };
}

/** Returns a colour as a canvas style; colours outside the screen's gamut are clipped. */
export function css(base: Colour, alpha = 1): string {
  const [a, b] = axesOf(base);
  const long = (base.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (base.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (base.lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short;
  const green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short;
  const blue = -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short;
  return `rgba(${byteOf(red)}, ${byteOf(green)}, ${byteOf(blue)}, ${alpha.toFixed(4)})`;
}

function axesOf({ chroma, hue }: Colour): [a: number, b: number] {
  const radians = (hue * Math.PI) / 180;
  return [chroma * Math.cos(radians), chroma * Math.sin(radians)];
}

function byteOf(linear: number): number {
  const encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(1, Math.max(0, encoded)));
}
