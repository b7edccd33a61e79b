import { type Canvas, createCanvas, type Image } from '@napi-rs/canvas';
import { createDice } from '../dice.ts';
import { createFrameDrawer } from '../draw-frame.ts';
import { readPrompt } from '../storyboard/read-prompt.ts';
import { createSceneDrawer } from '../text-to-video.ts';
import { type AspectRatio, canvasSize } from './canvas-size.ts';

/** One video, shown as a few of its frames. */
export interface Strip {
  prompt: string;
  seed: number;
  ratio: AspectRatio;
  /** The image that the video starts from, if any; it is stretched to the aspect ratio. */
  image: Image | null;
}

export interface StripShape {
  seconds: number;
  /** The number of frames shown, spread evenly over the video. */
  frames: number;
  /** The height of a frame on the sheet, in pixels. */
  height: number;
}

const ground = '#17181c';

/** Draws frames of a video at 480p, as a caller would get them, and scales them down. */
export function drawStrip({ prompt, seed, ratio, image }: Strip, { seconds, frames, height }: StripShape): Canvas[] {
  const size = canvasSize(480, ratio);
  const frameCount = 24 * seconds;
  const startedAt = performance.now();
  const draw = createFrameDrawer({ prompt, seed, ...size, fps: 24, frameCount }, image);
  const canvas = createCanvas(size.width, size.height);
  const preparedAt = performance.now();
  const pictures = Array.from({ length: frames }, (_, index) => {
    draw(canvas.getContext('2d', { alpha: false }), Math.floor((index / frames) * frameCount));
    const picture = createCanvas(Math.round((height * size.width) / size.height), height);
    const context = picture.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(canvas, 0, 0, picture.width, height);
    return picture;
  });
  const perFrame = (performance.now() - preparedAt) / frames;
  const preparing = `prepared in ${(preparedAt - startedAt).toFixed(0)} ms`;
  console.log(`${ratio} seed ${seed}: ${preparing}, ${perFrame.toFixed(1)} ms per frame: ${prompt}`);
  return pictures;
}

/** Draws the first frame without its label, as an image for image-to-video. */
export function drawStill({ prompt, seed, ratio }: Strip): Canvas {
  const size = canvasSize(480, ratio);
  const canvas = createCanvas(size.width, size.height);
  const diceFor = (part: string) => createDice(`${seed} ${part}`);
  const draw = createSceneDrawer({ prompt, seed, ...size, fps: 24, frameCount: 120 }, readPrompt(prompt), diceFor);
  draw(canvas.getContext('2d', { alpha: false }), 0);
  return canvas;
}

/** Draws rows of pictures below each other on a dark background. */
export function layOut(rows: readonly (readonly Canvas[])[], margin: number): Canvas {
  const widthOf = (row: readonly Canvas[]) => row.reduce((sum, { width }) => sum + width + margin, margin);
  const heightOf = (row: readonly Canvas[]) => Math.max(...row.map(({ height }) => height));
  const sheet = createCanvas(
    Math.max(...rows.map(widthOf)),
    rows.reduce((sum, row) => sum + heightOf(row) + margin, margin),
  );
  const context = sheet.getContext('2d');
  context.fillStyle = ground;
  context.fillRect(0, 0, sheet.width, sheet.height);
  let y = margin;
  for (const row of rows) {
    let x = margin;
    for (const picture of row) {
      context.drawImage(picture, x, y);
      x += picture.width + margin;
    }
    y += heightOf(row) + margin;
  }
  return sheet;
}
