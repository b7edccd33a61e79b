import { Path2D } from '@napi-rs/canvas';
import { type Colour, colour, css, mix } from '../../drawing/colour.ts';
import type { Layer } from '../../drawing/layer.ts';
import { createNoise } from '../../drawing/noise.ts';
import { fill } from '../../drawing/paint.ts';
import { createScroll } from '../../drawing/scroll.ts';
import type { Setting } from '../../drawing/setting.ts';
import { addCanopy } from './canopy.ts';
import type { Glade } from './light.ts';
import { addBareBranch, addBirchMarks, addBough, addTrunk, type TreeKind } from './trees.ts';
import { addFern, addTuft } from './undergrowth.ts';

interface Wood {
  depth: number;
  /** The place of its feet, as a fraction of the way from the horizon to the lower edge. */
  floor: number;
  width: number;
  gap: number;
}

/** Creates trunks at one distance, with their leaves above and the forest floor at their feet. */
export function createWood(setting: Setting, glade: Glade, kind: TreeKind, { depth, floor, width, gap }: Wood): Layer {
  const { stage, palette, dice } = setting;
  const scroll = createScroll(setting, depth, 0.3);
  const isWide = scroll.length >= stage.right - stage.left;
  const isNear = depth > 0.6;
  const foot = stage.horizon + floor * (stage.height - stage.horizon);
  const curve = createNoise(dice, { period: scroll.length, octaves: 3 });
  const floorAt = (x: number) => foot - 0.03 * curve(x);
  const bark = new Path2D();
  const branches = new Path2D();
  const lightOnBark = new Path2D();
  const marks = new Path2D();
  const leaves = new Path2D();
  const litLeaves = new Path2D();
  const upperLeaves = new Path2D();
  const growth = new Path2D();
  const shadows = new Path2D();
  const bare = isBare(setting, kind);
  const opening = { x: glade.x, halfWidth: glade.halfWidth * (0.55 + 0.75 * depth) };

  for (let x = gap * dice.between(0.1, 0.5); x < scroll.length - 0.3 * gap; x += gap * dice.between(0.55, 1.45)) {
    const thick = width * dice.between(0.65, 1.2) * (kind === 'birch' ? 0.72 : 1);
    const trunk = {
      x,
      foot: floorAt(x) + 0.02,
      top: stage.top - 0.1,
      width: thick,
      lean: dice.between(-0.05, 0.05),
      roots: kind === 'birch' ? 0.3 : 0.9,
    };
    const isInGlade = isWide && Math.abs(x - glade.x) < opening.halfWidth;
    if (isInGlade) continue;
    addTrunk(bark, trunk);
    // Light comes from the glade or, if the wood passes by, from the sun's side of the picture.
    const side = (isWide ? glade.x - x : setting.sun.x - stage.width / 2) < 0 ? -1 : 1;
    addTrunk(lightOnBark, trunk, side, 0.3);
    if (!isNear) continue;
    addShadow(shadows, trunk, side);
    if (kind === 'birch') addBirchMarks(marks, dice, trunk);
    for (let tuft = -1; tuft <= 1; tuft++)
      addTuft(growth, dice, x + 0.7 * tuft * thick, trunk.foot + 0.006, thick * dice.between(0.35, 0.6));
    for (let crown = 0; crown < 3; crown++) {
      const away = dice.sign();
      const y = stage.horizon * dice.between(0.05, 0.6);
      const angle = -Math.PI / 2 + away * dice.between(0.5, 1);
      if (bare)
        addBareBranch(branches, dice, {
          start: { x, y },
          length: width * dice.between(1.5, 2.4),
          angle,
          width: thick * 0.32,
          forks: 2,
        });
      else if (kind === 'conifer')
        addBough(leaves, dice, { x, y: y - 0.12, length: width * dice.between(2.4, 4), side: away });
    }
  }
  if (!bare)
    addCanopy(setting, {
      leaves,
      litLeaves,
      upperLeaves,
      kind,
      length: scroll.length,
      depth,
      opening: isWide ? opening : null,
    });
  for (let x = 0; isNear && x < scroll.length; x += width * dice.between(1.1, 3)) {
    if (depth > 0.9 && isWide && Math.abs(x - glade.x) < 1.2 * opening.halfWidth) continue;
    if (dice.chance(0.4)) addFern(growth, dice, x, floorAt(x) + 0.012, width * dice.between(0.7, 1.1));
    else addTuft(growth, dice, x, floorAt(x) + 0.012, width * dice.between(0.3, 0.7));
  }
  const soil = new Path2D();
  soil.moveTo(-0.01, stage.bottom);
  for (let x = -0.01; x <= scroll.length + 0.012; x += 0.02) soil.lineTo(x, floorAt(x));
  soil.lineTo(scroll.length + 0.02, stage.bottom);

  const leafColour = palette.far(mix(leavesOf(setting, kind), palette.ink, 0.2 + 0.35 * depth), depth * 0.95);
  const litLeafColour = mix(
    palette.far(leavesOf(setting, kind), depth * 0.95),
    palette.glow,
    palette.isNight ? 0.08 : 0.22,
  );
  const barkColour = palette.far(
    mix(barkOf(setting, kind), palette.ink, kind === 'birch' ? 0.15 : 0.25 + 0.4 * depth),
    depth * 0.95,
  );
  const litColour = mix(barkColour, palette.glow, palette.isNight ? 0.22 : 0.42);
  const soilColour = palette.far(mix(palette.land, palette.ink, 0.1 + 0.35 * depth), depth);
  const growthColour = palette.far(
    mix(mix(palette.foliage, palette.land, 0.35), palette.ink, 0.15 + 0.3 * depth),
    depth,
  );
  const shadowColour = css(palette.ink, 0.22 * (0.4 + 0.6 * palette.sunStrength));
  const offset = dice.between(0, 1);
  return {
    depth,
    draw(context, moment) {
      const sway = 0.006 * moment.wave(0.2, offset) + 0.0025 * moment.wave(0.55, 2 * offset);
      scroll.draw(context, moment, () => {
        context.save();
        // The trees lean about their feet, so higher parts move further.
        context.transform(1, 0, sway, 1, -sway * foot, 0);
        if (bare && isNear) fill(context, barkColour, branches);
        fill(context, barkColour, bark);
        fill(context, litColour, lightOnBark);
        if (kind === 'birch' && isNear) fill(context, mix(palette.ink, barkColour, 0.25), marks);
        if (!bare && isNear) fill(context, litLeafColour, litLeaves);
        if (!bare) fill(context, leafColour, leaves);
        if (!bare && isNear) fill(context, mix(leafColour, litLeafColour, 0.22), upperLeaves);
        context.restore();
        // The nearest trunks need no soil of their own: they stand on the floor with the path.
        if (depth < 0.9) fill(context, soilColour, soil);
        if (!isNear) return;
        fill(context, shadowColour, shadows);
        fill(context, growthColour, growth);
      });
    },
  };
}

/** Adds the shadow of a trunk on the floor: towards the viewer, and away from the light. */
function addShadow(path: Path2D, { x, foot, width }: { x: number; foot: number; width: number }, side: number): void {
  const length = 3.2 * width;
  path.moveTo(x - 0.7 * width, foot - 0.01);
  path.lineTo(x + 0.7 * width, foot - 0.01);
  path.lineTo(x + 0.5 * width - side * length * 1.5, foot + length * 0.55);
  path.lineTo(x - 1.1 * width - side * length * 1.5, foot + length * 0.55);
  path.closePath();
}

function barkOf({ palette }: Setting, kind: TreeKind): Colour {
  if (kind === 'birch') return palette.lit(colour(0.88, 0.015, 80));
  return palette.lit(kind === 'conifer' ? colour(0.44, 0.07, 40) : colour(0.42, 0.06, 52));
}

function leavesOf({ palette, storyboard }: Setting, kind: TreeKind): Colour {
  if (kind === 'conifer') return mix(palette.foliage, palette.lit(colour(0.42, 0.07, 165)), 0.7);
  if (kind === 'birch')
    return mix(palette.foliage, palette.lit(colour(0.8, 0.15, storyboard.season === 'autumn' ? 88 : 118)), 0.5);
  return palette.foliage;
}

/** Returns whether a wood has no leaves: in winter only conifers have them. */
export function isBare({ storyboard }: Setting, kind: TreeKind): boolean {
  return storyboard.season === 'winter' && kind !== 'conifer';
}
