import type { Path2D } from '@napi-rs/canvas';
import type { Dice } from '../../dice.ts';
import type { Point } from '../../drawing/paint.ts';

interface Landmark {
  x: number;
  /** The y of its foot. */
  y: number;
  height: number;
  /** 1 if the right side is shaded, −1 if the left side is. */
  shadedSide: number;
}

/** Adds a rock with a flat top and a skirt of rubble; its shaded side goes to the second path. */
export function addMesa(
  body: Path2D,
  shade: Path2D,
  dice: Dice,
  { x, y, height, width, shadedSide }: Landmark & { width: number },
): void {
  const half = width / 2;
  const skirt = y - height * 0.38;
  const top = y - height;
  const tilt = dice.between(-0.06, 0.06) * height;
  const spread = 0.55 * height;
  body.moveTo(x - half - spread, y);
  body.quadraticCurveTo(x - half - 0.25 * spread, skirt + 0.12 * height, x - half, skirt);
  body.lineTo(x - half * 0.94, top + 0.05 * height + tilt);
  body.lineTo(x - half * 0.84, top + tilt);
  body.lineTo(x + half * 0.86, top - tilt);
  body.lineTo(x + half * 0.95, top + 0.07 * height - tilt);
  body.lineTo(x + half, skirt);
  body.quadraticCurveTo(x + half + 0.25 * spread, skirt + 0.12 * height, x + half + spread, y);
  body.closePath();
  const outer = x + shadedSide * half;
  const edge = x + shadedSide * half * dice.between(0.1, 0.45);
  shade.moveTo(x + shadedSide * half * 0.86, top - shadedSide * tilt);
  shade.lineTo(edge, top - shadedSide * tilt * 0.4);
  shade.lineTo(edge - shadedSide * 0.05 * half, top + 0.25 * height);
  shade.lineTo(edge + shadedSide * 0.12 * half, skirt);
  shade.lineTo(edge, y);
  shade.lineTo(outer + shadedSide * spread, y);
  shade.quadraticCurveTo(outer + shadedSide * 0.25 * spread, skirt + 0.12 * height, outer, skirt);
  shade.closePath();
}

/** Adds a saguaro with its arms; each limb's shaded half goes to the second path. */
export function addCactus(body: Path2D, shade: Path2D, dice: Dice, { x, y, height, shadedSide }: Landmark): void {
  const width = height * 0.15;
  const limb = (limbX: number, top: number, bottom: number, thick: number) => {
    body.roundRect(limbX - thick / 2, top, thick, bottom - top, thick / 2);
    shade.roundRect(
      shadedSide > 0 ? limbX + 0.04 * thick : limbX - thick / 2,
      top + 0.1 * thick,
      thick * 0.46,
      bottom - top - 0.1 * thick,
      [thick * 0.23],
    );
  };
  limb(x, y - height, y + 0.02, width);
  const first = dice.sign();
  const arms = dice.chance(0.65) ? [first, -first] : [first];
  for (const side of arms) {
    const joint = y - height * dice.between(0.38, 0.58);
    const armX = x + side * height * dice.between(0.18, 0.24);
    const thick = width * 0.72;
    body.roundRect(
      Math.min(x, armX) - thick * 0.4,
      joint - thick / 2,
      Math.abs(armX - x) + thick * 0.8,
      thick,
      thick / 2,
    );
    limb(armX, joint - height * dice.between(0.18, 0.32), joint + thick / 2, thick);
  }
}

/** Adds an acacia: a leaning stem that forks, under flat clouds of leaves. */
export function addAcacia(
  body: Path2D,
  shade: Path2D,
  dice: Dice,
  { x, y, height }: Omit<Landmark, 'shadedSide'>,
): void {
  const lean = dice.sign() * 0.12 * height;
  const fork = { x: x + lean, y: y - 0.5 * height };
  for (const [reach, rise] of [
    [-0.36, 0.76],
    [0.06, 0.95],
    [0.42, 0.8],
  ] as const) {
    const endX = fork.x + reach * height;
    const endY = y - rise * height;
    const thick = 0.028 * height;
    body.moveTo(fork.x - thick, fork.y + 0.02 * height);
    body.quadraticCurveTo(fork.x + 0.2 * reach * height, endY + 0.15 * height, endX - 0.4 * thick, endY);
    body.lineTo(endX + 0.4 * thick, endY);
    body.quadraticCurveTo(
      fork.x + 0.3 * reach * height + thick,
      endY + 0.17 * height,
      fork.x + thick,
      fork.y + 0.02 * height,
    );
    body.closePath();
    addFlatCrown(shade, dice, endX, endY, height * dice.between(0.28, 0.42));
  }
  body.moveTo(x - 0.05 * height, y + 0.03);
  body.quadraticCurveTo(x - 0.01 * height, y - 0.2 * height, fork.x - 0.03 * height, fork.y);
  body.lineTo(fork.x + 0.03 * height, fork.y);
  body.quadraticCurveTo(x + 0.04 * height, y - 0.2 * height, x + 0.06 * height, y + 0.03);
  body.closePath();
}

function addFlatCrown(path: Path2D, dice: Dice, x: number, y: number, half: number): void {
  const archAt = (along: number) => y - half * 0.4 * Math.sin(Math.PI * along) ** 0.7;
  path.moveTo(x - half, y + 0.05 * half);
  for (let along = 0; along < 1; ) {
    const next = Math.min(1, along + dice.between(0.07, 0.2));
    const middle = (along + next) / 2;
    const bump = half * 0.9 * (next - along) * dice.between(0.5, 1);
    path.quadraticCurveTo(
      x - half + 2 * half * middle,
      archAt(middle) - bump,
      x - half + 2 * half * next,
      archAt(next) + 0.04 * half,
    );
    along = next;
  }
  path.quadraticCurveTo(x + 0.5 * half, y + 0.02 * half, x + 0.2 * half, y + 0.12 * half);
  path.quadraticCurveTo(x - 0.4 * half, y - 0.02 * half, x - half, y + 0.05 * half);
  path.closePath();
}

const archOuter = [
  [-0.66, 0],
  [-0.6, -0.25],
  [-0.52, -0.5],
  [-0.5, -0.72],
  [-0.36, -0.9],
  [-0.1, -1],
  [0.15, -0.97],
  [0.34, -0.86],
  [0.46, -0.64],
  [0.49, -0.4],
  [0.58, -0.18],
  [0.68, 0],
] as const;
const archInner = [
  [0.36, 0],
  [0.31, -0.22],
  [0.29, -0.42],
  [0.2, -0.6],
  [0.04, -0.7],
  [-0.12, -0.67],
  [-0.22, -0.52],
  [-0.24, -0.3],
  [-0.3, -0.1],
  [-0.31, 0],
] as const;

/** Adds an arch of rock; the faces away from the sun go to the second path. */
export function addArch(body: Path2D, shade: Path2D, dice: Dice, { x, y, height, shadedSide }: Landmark): void {
  const broad = dice.between(1, 1.25);
  const roughness = (alongY: number) => (alongY === 0 ? 0 : dice.between(-0.04, 0.04));
  const placed = ([alongX, alongY]: readonly [number, number]): Point => ({
    x: x + shadedSide * height * broad * (alongX + roughness(alongY)),
    y: y + height * (alongY + roughness(alongY)),
  });
  const outer = archOuter.map(placed);
  const inner = archInner.map(placed);
  addRock(body, [...outer, ...inner]);
  // The far pillar turns away from the sun, and so does the inner face of the near one.
  const thick = 0.13 * height * broad * shadedSide;
  const farSide = outer.slice(5);
  const nearFace = inner.slice(4);
  const within = farSide.map((point) => ({ x: point.x - thick, y: Math.min(y, point.y + 0.03 * height) }));
  const behind = nearFace.map((point) => ({
    x: point.x - 0.6 * thick,
    y: point.y === y ? y : point.y - 0.03 * height,
  }));
  addRock(shade, [...farSide, ...within.slice(1).toReversed()]);
  addRock(shade, [...nearFace, ...behind.slice(1).toReversed()]);
}

/** Adds an outline through the middles of its edges, so that its corners look worn; those on the ground stay sharp. */
function addRock(path: Path2D, points: readonly Point[]): void {
  const [first] = points;
  if (!first) return;
  path.moveTo(first.x, first.y);
  for (const [index, point] of points.entries()) {
    const next = points[index + 1] ?? first;
    if (index === 0 || index === points.length - 1) path.lineTo(point.x, point.y);
    else path.quadraticCurveTo(point.x, point.y, (point.x + next.x) / 2, (point.y + next.y) / 2);
  }
  path.closePath();
}
