import type { SKRSContext2D } from '@napi-rs/canvas';
import { colour, lighten, mix } from '../drawing/colour.ts';
import type { Moment } from '../drawing/moment.ts';
import { drawAt } from '../drawing/paint.ts';
import { createGroundShadow } from './ground-shadow.ts';
import { drawChassis, drawRobotHead, type RobotTones } from './robot/chassis.ts';
import { dancingPose, type RobotPose, standingPose, walkingPose } from './robot/pose.ts';
import { drawRobotArm, drawRobotLeg } from './robot/robot-limbs.ts';
import { strideOf } from './step.ts';
import type { Subject } from './subject.ts';

const height = 0.28;
const speed = 0.14;
/** Two steps make one cycle. */
const cyclesPerSecond = 0.95;

/** A walking robot with glowing eyes, which can also stand or dance. The subject's length is the robot's height without its antenna. */
export const robot: Subject = {
  place: 'ground',
  length: height,
  speed,
  stillDuring: ['stand', 'dance'],
  create(setting) {
    const { palette, dice, storyboard } = setting;
    const stride = strideOf(setting, cyclesPerSecond, speed / height);
    const shell = palette.accent;
    const steel = palette.litSubject(colour(0.66, 0.015, 250));
    // The lights differ from the shell, so that the eyes are seen.
    const hue = (shell.hue + 360) % 360;
    const isCool = shell.chroma > 0.04 && hue > 120 && hue < 290;
    const light = isCool ? colour(0.88, 0.13, 80) : colour(0.88, 0.11, 200);
    const tones: RobotTones = {
      shell,
      shellShade: mix(shell, palette.ink, 0.3),
      rim: mix(shell, palette.glow, palette.isNight ? 0.25 : 0.45),
      steel,
      steelShade: mix(steel, palette.ink, 0.4),
      joint: mix(steel, palette.ink, 0.68),
      visor: lighten(mix(palette.ink, colour(0.2, 0.02, 260), 0.5), -0.03),
      light,
      isGlowing: !palette.isDay,
    };
    const antennas = dice.pick([1, 2] as const);
    const isRound = dice.chance(0.5);
    const drawShadow = createGroundShadow(setting, 0.26, shell);
    const poseAt = (moment: Moment): RobotPose => {
      if (storyboard.action === 'dance') return dancingPose(moment);
      if (storyboard.action === 'stand') return standingPose(moment);
      return walkingPose(moment.turn(cyclesPerSecond), stride);
    };
    return (context, moment) => {
      drawShadow(context);
      drawRobot(context, { pose: poseAt(moment), tones, antennas, isRound, moment });
    };
  },
};

interface Robot {
  pose: RobotPose;
  tones: RobotTones;
  antennas: 1 | 2;
  isRound: boolean;
  moment: Moment;
}

/** Draws the robot from far to near: far arm and leg, near leg, body, head, near arm. */
function drawRobot(context: SKRSContext2D, { pose, tones, antennas, isRound, moment }: Robot): void {
  const { hips, lean, nod, farLeg, nearLeg, farArm, nearArm } = pose;
  const upright = (draw: () => void) => drawAt(context, { ...hips, angle: lean }, draw);
  upright(() => drawRobotArm(context, farArm, { tones, isFar: true }));
  drawRobotLeg(context, farLeg, { hips, tones, isFar: true });
  drawRobotLeg(context, nearLeg, { hips, tones, isFar: false });
  upright(() => {
    drawAt(context, { x: 0, y: -0.36, angle: nod }, () => drawRobotHead(context, { tones, antennas, isRound, moment }));
    drawChassis(context, tones, moment);
    drawRobotArm(context, nearArm, { tones, isFar: false });
  });
}
