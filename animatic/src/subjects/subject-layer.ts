import type { Layer } from '../drawing/layer.ts';
import type { Point } from '../drawing/paint.ts';
import type { Setting } from '../drawing/setting.ts';
import type { Subject } from './subject.ts';

interface Placement {
  position: Point;
  /** 1 to the right, −1 to the left. */
  facing: number;
  closeness: number;
}

/** Creates the layer of a subject, at depth 1. */
export function createSubjectLayer(
  subject: Subject,
  setting: Setting,
  { position, facing, closeness }: Placement,
): Layer {
  const draw = subject.create(setting);
  const length = subject.length * closeness;
  return {
    depth: 1,
    draw(context, moment) {
      // It gains on the camera and falls back, because two moving things never have exactly the same speed.
      const ahead = facing * 0.035 * moment.wave(0.14);
      context.translate(position.x + ahead, position.y);
      context.scale(facing * length, length);
      draw(context, moment);
    },
  };
}
