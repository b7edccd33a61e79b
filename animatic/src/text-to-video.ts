import { cameraMoves, posesOf } from './camera-moves/camera-moves.ts';
import type { Dice } from './dice.ts';
import { applyCamera } from './drawing/camera.ts';
import { createCameraPath } from './drawing/camera-path.ts';
import { compose } from './drawing/composition.ts';
import { createSky } from './drawing/draw-sky.ts';
import { createGrade } from './drawing/grade.ts';
import type { Layer } from './drawing/layer.ts';
import { createMoment } from './drawing/moment.ts';
import { createPalette } from './drawing/palette.ts';
import { createSeasonDrift } from './drawing/season-drift.ts';
import type { Setting } from './drawing/setting.ts';
import type { DrawFrame, FrameSpec } from './frame-spec.ts';
import { scenes } from './scenes/scenes.ts';
import { decideStoryboard } from './storyboard/decide-storyboard.ts';
import type { PromptReading } from './storyboard/storyboard.ts';
import { createSubjectLayer } from './subjects/subject-layer.ts';
import { subjects } from './subjects/subjects.ts';
import { weathers } from './weathers/weathers.ts';

/** How far the tallest subject, the balloon, reaches above its place, in multiples of its length. */
const tallest = 0.85;

/** Prepares a video from text: decides the storyboard, creates every layer once, and draws them from far to near. */
export function createSceneDrawer(spec: FrameSpec, reading: PromptReading, diceFor: (part: string) => Dice): DrawFrame {
  const storyboard = decideStoryboard(reading, diceFor('storyboard'));
  const moves = storyboard.cameraMoves.map((name) => cameraMoves[name]);
  const scene = scenes[storyboard.scene];
  const weather = weathers[storyboard.weather];
  const subject = storyboard.subject && subjects[storyboard.subject];
  const isStill = storyboard.action !== null && subject?.stillDuring?.includes(storyboard.action);
  const clipSeconds = spec.frameCount / spec.fps;
  const pace = moves.reduce((slowest, move) => Math.min(slowest, move.pace ?? 1), 1);
  const askedHorizon = moves.find(({ horizon }) => horizon !== undefined)?.horizon;
  const { stage, sun, pixelsPerUnit, subjectX, facing } = compose(
    spec,
    storyboard,
    askedHorizon,
    diceFor('composition'),
  );
  const wanted = { ...storyboard, hasSubject: subject !== null, weather: weather.light };
  const palette = createPalette(wanted, diceFor('palette'));
  const settingOf = (part: string): Setting => ({
    stage,
    pixelsPerUnit,
    palette,
    storyboard,
    sun,
    dice: diceFor(part),
    seconds: clipSeconds * pace,
    travel: subject && !isStill ? -facing * subject.speed : 0,
  });

  const place = scene.create(settingOf('scene'));
  const inTheAir = [
    ...weather.create(settingOf('weather')),
    ...createSeasonDrift(settingOf('season'), reading.season !== null),
  ];
  const layers: Layer[] = [
    ...(scene.hasSky ? createSky(settingOf('sky')) : []),
    ...place.layers,
    ...(place.isUnderWater ? [] : inTheAir),
  ];
  const focus = { x: subjectX, y: stage.horizon };
  if (subject) {
    const closeness = moves.reduce((product, move) => product * (move.closeness ?? 1), 1);
    // A flying subject must be seen whole even if the horizon is high or the subject large.
    const air = Math.max(place.air, 0.12 + tallest * subject.length * closeness);
    const y = (subject.place === 'water' ? place.water : null) ?? (subject.place === 'air' ? air : place.ground);
    layers.push(createSubjectLayer(subject, settingOf('subject'), { position: { x: subjectX, y }, facing, closeness }));
    // The camera aims between the horizon and the subject.
    focus.y += 0.4 * (y - stage.horizon);
  }
  layers.sort((one, other) => one.depth - other.depth);

  const cameraAt = createCameraPath(posesOf(storyboard), { clipSeconds, dice: diceFor('camera') });
  const grade = createGrade(spec, palette, diceFor('grain'));
  return (context, frameIndex) => {
    const phase = frameIndex / spec.frameCount;
    const moment = createMoment(phase, { seconds: clipSeconds, pace });
    const pose = cameraAt(phase);
    for (const layer of layers) {
      context.save();
      applyCamera(context, { stage, pose, pixelsPerUnit, focus }, layer.depth);
      layer.draw(context, moment);
      context.restore();
    }
    grade(context, frameIndex);
  };
}
