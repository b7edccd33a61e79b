import type { Path2D } from '@napi-rs/canvas';
import { createNoise } from '../../drawing/noise.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addBough, addLeafCluster, type TreeKind } from './trees.ts';

interface Canopy {
  leaves: Path2D;
  /** Leaves behind the others, in the light. */
  litLeaves: Path2D;
  /** Leaves in front of the others, a little lighter. */
  upperLeaves: Path2D;
  kind: TreeKind;
  length: number;
  depth: number;
  opening: { x: number; halfWidth: number } | null;
}

/** Adds the leaves above, which hang lower away from the glade. */
export function addCanopy(
  { stage, dice }: Setting,
  { leaves, litLeaves, upperLeaves, kind, length, depth, opening }: Canopy,
): void {
  const size = (0.05 + 0.075 * depth) * (kind === 'birch' ? 0.85 : 1);
  const edge = stage.horizon * (0.36 - 0.16 * depth);
  const curve = createNoise(dice, { period: length, octaves: 3 });
  const edgeAt = (x: number) => {
    const aside = opening ? Math.min(1, Math.abs(x - opening.x) / (2.4 * opening.halfWidth)) : 0.7;
    return edge * (0.1 + 1.1 * aside) + 0.09 * curve(x) * (0.4 + aside);
  };
  leaves.moveTo(-0.01, stage.top);
  leaves.lineTo(-0.01, edgeAt(-0.01));
  if (depth < 0.6) {
    // Far leaves are a single ragged edge.
    for (let x = 0; x < length; ) {
      const next = x + size * dice.between(0.25, 0.55);
      const low = edgeAt(x) + size * dice.between(0.2, 0.7);
      if (kind === 'conifer') leaves.lineTo((x + next) / 2, low + 0.4 * size);
      else leaves.quadraticCurveTo(x, low, (x + next) / 2, low);
      leaves.quadraticCurveTo(next, low - 0.1 * size, next, edgeAt(next));
      x = next;
    }
  } else for (let x = 0; x <= length; x += 0.05) leaves.lineTo(x, edgeAt(x) - 0.3 * size);
  leaves.lineTo(length + 0.012, edgeAt(length) - 0.3 * size);
  leaves.lineTo(length + 0.012, stage.top);
  leaves.closePath();
  if (depth < 0.6) return;
  for (let x = 0; x < length; x += size * dice.between(0.5, 0.95)) {
    const y = edgeAt(x) - size * dice.between(-0.2, 0.5);
    if (kind === 'conifer')
      addBough(leaves, dice, { x, y: y - 0.3 * size, length: size * dice.between(1, 1.6), side: dice.sign() });
    else {
      addLeafCluster(leaves, dice, x, y, size * dice.between(0.5, 0.85));
      if (dice.chance(0.7)) {
        const above = size * dice.between(0.3, 1.6);
        addLeafCluster(upperLeaves, dice, x, y - above, size * dice.between(0.3, 0.6));
      }
      // Leaves behind the cluster are in the light.
      if (dice.chance(0.6))
        addLeafCluster(litLeaves, dice, x, y + size * dice.between(0.2, 0.5), size * dice.between(0.4, 0.7));
    }
  }
}
