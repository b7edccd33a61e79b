import type { SKRSContext2D } from '@napi-rs/canvas';

interface Size {
  width: number;
  height: number;
}

interface Ridge {
  colour: string;
  baseline: number;
  speed: number;
  waves: { amplitude: number; frequency: number; phase: number }[];
}

interface Light {
  x: number;
  y: number;
  radius: number;
  speed: number;
  phase: number;
}

const ridgeCount = 5;
const lightCount = 14;
const ridgeSegments = 72;

/** A sky, a sun, ridges that pass by at their own speeds and drifting lights. Lengths are in heights of the frame. */
export function createLandscape(random: () => number): (context: SKRSContext2D, size: Size, seconds: number) => void {
  const between = (low: number, high: number) => low + (high - low) * random();
  const hue = between(0, 360);
  const accentHue = hue + between(25, 80) * (random() < 0.5 ? -1 : 1);
  const sky = [colourOf(hue, 48, between(14, 30)), colourOf(hue, 45, 46), colourOf(accentHue, 72, between(66, 78))];
  const skyTilt = between(-0.35, 0.35);
  const sun = {
    x: between(0.2, 0.8),
    y: between(0.18, 0.42),
    radius: between(0.07, 0.13),
    rise: between(-0.012, 0.012),
  };
  const sunColour = colourOf(accentHue, 90, 88);
  const glow = [colourOf(accentHue, 95, 80, 0.55), colourOf(accentHue, 95, 75, 0)];
  const direction = random() < 0.5 ? -1 : 1;
  const ridges = Array.from({ length: ridgeCount }, (_, index) =>
    createRidge(index, direction, hue, accentHue, between),
  );
  const lights = Array.from({ length: lightCount }, () => createLight(between));

  return (context, { width, height }, seconds) => {
    const drift = 0.06 * Math.sin(seconds * 0.4 + hue);
    const gradient = context.createLinearGradient(
      width * (0.5 - skyTilt - drift),
      0,
      width * (0.5 + skyTilt + drift),
      height,
    );
    for (const [index, colour] of sky.entries()) gradient.addColorStop([0, 0.45, 0.85][index] ?? 1, colour);
    context.fillStyle = gradient;
    context.fillRect(0, 0, width, height);

    const sunX = sun.x * width;
    const sunY = (sun.y + sun.rise * seconds) * height;
    const glowRadius = sun.radius * height * (4 + 0.3 * Math.sin(seconds * 0.9));
    const halo = context.createRadialGradient(sunX, sunY, 0, sunX, sunY, glowRadius);
    for (const [index, colour] of glow.entries()) halo.addColorStop(index, colour);
    context.fillStyle = halo;
    context.fillRect(sunX - glowRadius, sunY - glowRadius, 2 * glowRadius, 2 * glowRadius);
    context.fillStyle = sunColour;
    fillCircle(context, sunX, sunY, sun.radius * height);

    for (const ridge of ridges) drawRidge(context, ridge, { width, height }, seconds);

    context.fillStyle = colourOf(accentHue, 95, 88, 0.4);
    for (const light of lights) {
      const x = wrap(light.x + direction * light.speed * seconds, 1.1) * width;
      const y = (light.y + 0.02 * Math.sin(seconds * 1.3 + light.phase)) * height;
      fillCircle(context, x, y, light.radius * height);
    }
  };
}

function createRidge(
  index: number,
  direction: number,
  hue: number,
  accentHue: number,
  between: (low: number, high: number) => number,
): Ridge {
  const nearness = index / (ridgeCount - 1);
  const waves = [1, 2.1, 4.7].map((octave) => ({
    amplitude: (0.035 + 0.035 * nearness) * (between(0.5, 1) / octave),
    frequency: octave * between(2.2, 4),
    phase: between(0, 2 * Math.PI),
  }));
  return {
    // Far ridges take the colour of the horizon, near ones are dark: that is what gives depth.
    colour: colourOf(accentHue + (hue - accentHue) * nearness, 50 - 12 * nearness, 56 - 46 * nearness),
    baseline: 0.5 + 0.105 * index + between(-0.02, 0.02),
    speed: direction * 0.015 * 2 ** index,
    waves,
  };
}

function createLight(between: (low: number, high: number) => number): Light {
  return {
    x: between(0, 1.1),
    y: between(0.5, 0.97),
    radius: between(0.003, 0.011),
    speed: between(0.02, 0.08),
    phase: between(0, 2 * Math.PI),
  };
}

function drawRidge(context: SKRSContext2D, ridge: Ridge, { width, height }: Size, seconds: number): void {
  context.fillStyle = ridge.colour;
  context.beginPath();
  context.moveTo(0, height);
  for (let segment = 0; segment <= ridgeSegments; segment++) {
    const x = (segment / ridgeSegments) * width;
    const along = x / height + ridge.speed * seconds;
    let top = ridge.baseline;
    for (const wave of ridge.waves) top -= wave.amplitude * Math.sin(along * wave.frequency + wave.phase);
    context.lineTo(x, top * height);
  }
  context.lineTo(width, height);
  context.fill();
}

function fillCircle(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function colourOf(hue: number, saturation: number, lightness: number, alpha = 1): string {
  const turned = wrap(hue, 360);
  return `hsla(${turned.toFixed(2)}, ${saturation.toFixed(2)}%, ${lightness.toFixed(2)}%, ${alpha})`;
}

function wrap(value: number, length: number): number {
  return ((value % length) + length) % length;
}
