import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, mix } from '../../drawing/colour.ts';
import { disc, drawAt, fill, type Point, roundRect } from '../../drawing/paint.ts';
import { addTapered, between, middleJoint } from '../bones.ts';
import type { RobotTones } from './chassis.ts';
import { type Arm, ankleUp, type Foot } from './pose.ts';

// All lengths are fractions of the robot's height; the ground is at y = 0, and the arms are relative to the hips.

const thigh = { upper: 0.18, lower: 0.18, bend: 1 } as const;
const shoulderY = -0.29;
const upperArm = 0.135;
const forearm = 0.135;

/** Draws a leg: two pistons with ball joints, and a heavy boot. */
export function drawRobotLeg(
  context: SKRSContext2D,
  foot: Foot,
  { hips, tones, isFar }: { hips: Point; tones: RobotTones; isFar: boolean },
): void {
  const top = { x: hips.x + (isFar ? 0.035 : -0.03), y: hips.y };
  const reach = thigh.upper + thigh.lower - 0.002;
  const ankle = { x: foot.x + (isFar ? 0.035 : -0.03), y: foot.y };
  const distance = Math.hypot(ankle.x - top.x, ankle.y - top.y);
  const share = Math.min(1, reach / distance);
  const end = { x: top.x + (ankle.x - top.x) * share, y: top.y + (ankle.y - top.y) * share };
  const knee = middleJoint(top, end, thigh);
  fill(context, isFar ? tones.steelShade : tones.steel, () => addTapered(context, top, 0.038, knee, 0.03));
  fill(context, isFar ? tones.shellShade : tones.shell, () => {
    addTapered(context, between(knee, end, 0.2), 0.036, between(knee, end, 0.85), 0.05);
  });
  fill(context, tones.joint, disc(knee.x, knee.y, 0.034));
  drawAt(context, { ...end, angle: foot.tilt }, () => {
    fill(context, isFar ? tones.steelShade : tones.steel, () => {
      context.moveTo(-0.062, ankleUp);
      context.lineTo(-0.062, 0);
      context.quadraticCurveTo(-0.05, -0.032, 0, -0.032);
      context.bezierCurveTo(0.05, -0.03, 0.1, 0, 0.108, ankleUp - 0.014);
      context.lineTo(0.108, ankleUp);
      context.closePath();
    });
    fill(context, tones.joint, roundRect(-0.066, ankleUp - 0.016, 0.178, 0.016, 0.005));
  });
}

/** Draws an arm from the shoulder to the gripper. */
export function drawRobotArm(
  context: SKRSContext2D,
  { shoulder: swing, elbow: bend }: Arm,
  { tones, isFar }: { tones: RobotTones; isFar: boolean },
): void {
  const root = { x: isFar ? 0.135 : -0.125, y: shoulderY };
  const elbow = below(root, upperArm, swing);
  const wrist = below(elbow, forearm, swing + bend);
  const [shell, steel] = isFar
    ? [tones.shellShade, tones.steelShade]
    : [mix(tones.shell, tones.rim, 0.35), tones.steel];
  fill(context, steel, () => addTapered(context, root, 0.026, elbow, 0.024));
  context.fillStyle = css(tones.joint);
  drawAt(context, { ...wrist, angle: -(swing + bend) }, () => {
    context.beginPath();
    // Two fingers that can grip.
    for (const side of [-1, 1]) {
      context.moveTo(side * 0.008, 0.005);
      context.quadraticCurveTo(side * 0.05, 0.03, side * 0.028, 0.075);
      context.lineTo(side * 0.012, 0.07);
      context.quadraticCurveTo(side * 0.024, 0.04, 0, 0.03);
    }
    context.fill();
  });
  fill(context, shell, () => addTapered(context, between(elbow, wrist, 0.12), 0.028, wrist, 0.038));
  fill(context, tones.joint, disc(elbow.x, elbow.y, 0.026));
  fill(context, isFar ? tones.shellShade : tones.rim, disc(root.x, root.y, 0.048));
  fill(context, shell, disc(root.x, root.y + 0.006, 0.043));
}

function below({ x, y }: Point, distance: number, angle: number): Point {
  return { x: x + distance * Math.sin(angle), y: y + distance * Math.cos(angle) };
}
